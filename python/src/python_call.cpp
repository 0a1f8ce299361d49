// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "python_call.h"

#include <memory>
#include <string>
#include <unordered_set>

#include "current_streams.h"
#include "failure.h"

namespace kiln::python {
namespace {

/// The functions of bound classes that only document a callback. Never freed, as types are not.
std::unordered_set<PyObject*>& documentation() {
    static auto* const functions = new std::unordered_set<PyObject*>;
    return *functions;
}

/// The function under a method, whether it was found on an object or on its class.
PyObject* functionOf(PyObject* attribute) {
    if (PyMethod_Check(attribute)) {
        return PyMethod_GET_FUNCTION(attribute);
    }
    return PyInstanceMethod_Check(attribute) ? PyInstanceMethod_GET_FUNCTION(attribute) : attribute;
}

} // namespace

void documentationOnly(py::handle cls, std::initializer_list<char const*> names) {
    for (char const* name : names) {
        documentation().insert(functionOf(py::object(cls.attr(name)).release().ptr()));
    }
}

bool defines(py::handle self, char const* name) {
    PyObject* const found = PyObject_GetAttrString(self.ptr(), name);
    if (found == nullptr) {
        PyErr_Clear();
        return false;
    }
    bool const own = !documentation().contains(functionOf(found)) && found != Py_None;
    Py_DECREF(found);
    return own;
}

bool Callback::defined(PyObject* self) {
    if (lookedUp_) {
        return function_ != nullptr;
    }
    lookedUp_ = true;
    PyObject* const found = PyObject_GetAttrString(self, name_);
    if (found == nullptr) {
        PyErr_Clear();
        return false;
    }
    PyObject* const function = functionOf(found);
    if (!documentation().contains(function) && found != Py_None) {
        takesSelf_ = PyMethod_Check(found) && PyMethod_GET_SELF(found) == self;
        function_ = takesSelf_ ? function : found;
        Py_INCREF(function_);
    }
    Py_DECREF(found);
    return function_ != nullptr;
}

PyObject* Callback::missing(PyObject* self, char const* name) {
    PyErr_Format(PyExc_AttributeError, "class %s must define the method %s", Py_TYPE(self)->tp_name,
                 name);
    return nullptr;
}

void KeptList::reset() noexcept {
    Py_CLEAR(list_);
    for (PyObject* item : items_) {
        Py_XDECREF(item);
    }
    items_.clear();
}

bool KeptList::make(std::size_t count) {
    reset();
    list_ = PyList_New(static_cast<Py_ssize_t>(count));
    if (list_ == nullptr) {
        return false;
    }
    items_.assign(count, nullptr);
    return true;
}

bool KeptList::listUntouched() const noexcept {
    if (Py_REFCNT(list_) != 1 || PyList_GET_SIZE(list_) != static_cast<Py_ssize_t>(items_.size())) {
        return false;
    }
    for (std::size_t i = 0; i < items_.size(); ++i) {
        if (PyList_GET_ITEM(list_, static_cast<Py_ssize_t>(i)) != items_[i]) {
            return false;
        }
    }
    return true;
}

template <typename Desc>
PyObject* DescList<Desc>::update(Desc const* values, std::size_t count) {
    if (list_ == nullptr || count != last_.size()) {
        last_.clear();
        natives_.clear();
        if (!make(count)) {
            return nullptr;
        }
        for (std::size_t i = 0; i < count; ++i) {
            auto owned = std::make_unique<Desc>(values[i]);
            natives_.push_back(owned.get());
            items_[i] = py::cast(std::move(owned)).release().ptr();
            Py_INCREF(items_[i]);
            PyList_SET_ITEM(list_, static_cast<Py_ssize_t>(i), items_[i]);
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(natives_[i], &values[i], sizeof(Desc)); // padding too: it is compared
    }
    last_.resize(count);
    if (count != 0) {
        std::memcpy(last_.data(), values, count * sizeof(Desc));
    }
    return list_;
}

template class DescList<nvinfer1::PluginTensorDesc>;
template class DescList<nvinfer1::DynamicPluginTensorDesc>;

PyObject* PointerList::update(void const* const* values, std::size_t count) {
    bool const fresh = list_ == nullptr || count != last_.size();
    if (fresh && !make(count)) {
        return nullptr;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (!fresh && values[i] == last_[i]) {
            continue;
        }
        PyObject* const number = PyLong_FromVoidPtr(const_cast<void*>(values[i]));
        if (number == nullptr) {
            reset();
            last_.clear();
            return nullptr;
        }
        Py_XDECREF(items_[i]);
        items_[i] = number;
        Py_INCREF(number);
        PyList_SetItem(list_, static_cast<Py_ssize_t>(i), number);
    }
    last_.assign(values, values + count);
    return list_;
}

int32_t EnqueueArguments::call(Callback& callback, PyObject* self, std::size_t inputCount,
                               std::size_t outputCount,
                               nvinfer1::PluginTensorDesc const* inputDescs,
                               nvinfer1::PluginTensorDesc const* outputDescs,
                               void const* const* inputs, void* const* outputs, void* workspace,
                               void* stream) {
    if (busy_) {
        auto const own = std::make_unique<EnqueueArguments>();
        return own->call(callback, self, inputCount, outputCount, inputDescs, outputDescs, inputs,
                         outputs, workspace, stream);
    }
    PyObject* const in = inputDescs_.get(inputDescs, inputCount);
    PyObject* const out = in != nullptr ? outputDescs_.get(outputDescs, outputCount) : nullptr;
    PyObject* const from = out != nullptr ? inputs_.get(inputs, inputCount) : nullptr;
    PyObject* const to = from != nullptr ? outputs_.get(outputs, outputCount) : nullptr;
    PyObject* const space = to != nullptr ? workspace_.get(workspace) : nullptr;
    PyObject* const queue = space != nullptr ? stream_.get(stream) : nullptr;
    if (queue == nullptr) {
        return codeFrom(nullptr, callback.name());
    }
    CurrentStreams const current(stream);
    busy_ = true;
    PyObject* const result = callback(self, in, out, from, to, space, queue);
    busy_ = false;
    int32_t const code = codeFrom(result, callback.name());
    settle();
    return code;
}

int32_t codeFrom(PyObject* result, char const* callback) noexcept {
    if (result == Py_None) {
        Py_DECREF(result);
        return 0;
    }
    if (result == nullptr) {
        reportPluginException();
        return 1;
    }
    int32_t code = 1;
    if (PyLong_Check(result)) {
        long const number = PyLong_AsLong(result);
        code = number == 0 ? 0
                           : (number == static_cast<int32_t>(number) && number != 0
                                  ? static_cast<int32_t>(number)
                                  : 1);
        PyErr_Clear();
    } else {
        reportPluginProblem(PyExc_TypeError, std::string(callback) +
                                                 ": expected None or an int, got " +
                                                 Py_TYPE(result)->tp_name);
    }
    Py_DECREF(result);
    return code;
}

} // namespace kiln::python
