// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "python_call.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include <fmt/format.h>
#include <kiln/kiln.h>

#include "current_streams.h"
#include "descriptor_changes.h"
#include "failure.h"
#include "integers.h"
#include "message_code.h"
#include "warn.h"

namespace kiln::python {
namespace {

/// The functions of bound classes that only document a callback. Never freed, like types.
std::unordered_set<PyObject*>& documentation() {
    static auto* const functions = new std::unordered_set<PyObject*>;
    return *functions;
}

/// The function of a method that was looked up on an object or on its class.
PyObject* functionOf(PyObject* attribute) {
    if (PyMethod_Check(attribute)) {
        return PyMethod_GET_FUNCTION(attribute);
    }
    return PyInstanceMethod_Check(attribute) ? PyInstanceMethod_GET_FUNCTION(attribute) : attribute;
}

bool same(nvinfer1::Dims const& a, nvinfer1::Dims const& b) noexcept {
    int32_t i = 0;
    while (i < a.nbDims && a.d[i] == b.d[i]) {
        ++i;
    }
    return a.nbDims == b.nbDims && i >= a.nbDims;
}

bool same(nvinfer1::PluginTensorDesc const& a, nvinfer1::PluginTensorDesc const& b) noexcept {
    return same(a.dims, b.dims) && a.type == b.type && a.format == b.format && a.scale == b.scale;
}

bool same(nvinfer1::DynamicPluginTensorDesc const& a,
          nvinfer1::DynamicPluginTensorDesc const& b) noexcept {
    return same(a.desc, b.desc) && same(a.min, b.min) && same(a.max, b.max) && same(a.opt, b.opt);
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

bool Callback::lookUp(PyObject* self) {
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
    setError(PyExc_AttributeError,
             fmt::format("class {} must define the method {}", Py_TYPE(self)->tp_name, name));
    return nullptr;
}

template <typename Value>
void KeptList<Value>::reset() noexcept {
    Py_CLEAR(list_);
    for (Entry const& entry : entries_) {
        Py_XDECREF(entry.object);
    }
    entries_.clear();
}

template <typename Value>
bool KeptList<Value>::make(std::size_t count) {
    reset();
    list_ = PyList_New(static_cast<Py_ssize_t>(count));
    if (list_ == nullptr) {
        return false;
    }
    entries_.resize(count);
    return true;
}

template class KeptList<nvinfer1::PluginTensorDesc*>;
template class KeptList<nvinfer1::DynamicPluginTensorDesc*>;
template class KeptList<void const*>;

/// Compares the contents of the objects, because the last callee may have changed them.
template <typename Desc>
PyObject* DescList<Desc>::get(Desc const* values, std::size_t count, bool known) {
    bool current = this->untouched(count);
    if (!known) [[unlikely]] {
        for (std::size_t i = 0; current && i < count; ++i) {
            current = same(*this->entries_[i].value, values[i]);
        }
    }
    return current ? this->list_ : update(values, count);
}

template <typename Desc>
bool DescList<Desc>::heldByOthers() const noexcept {
    return std::any_of(this->entries_.begin(), this->entries_.end(),
                       [](auto const& entry) { return Py_REFCNT(entry.object) != 2; });
}

template <typename Desc>
PyObject* DescList<Desc>::update(Desc const* values, std::size_t count) {
    if (!this->untouched(count) || heldByOthers()) {
        if (!this->make(count)) {
            return nullptr;
        }
        for (std::size_t i = 0; i < count; ++i) {
            try {
                auto owned = std::make_unique<Desc>(values[i]);
                Desc* const native = owned.get();
                this->entries_[i] = {py::cast(std::move(owned)).release().ptr(), native};
            } catch (...) {
                this->reset(); // keeps no list with holes
                throw;
            }
            Py_INCREF(this->entries_[i].object);
            PyList_SET_ITEM(this->list_, static_cast<Py_ssize_t>(i), this->entries_[i].object);
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        *this->entries_[i].value = values[i];
    }
    return this->list_;
}

template class DescList<nvinfer1::PluginTensorDesc>;
template class DescList<nvinfer1::DynamicPluginTensorDesc>;

PyObject* PointerList::get(void const* const* values, std::size_t count) {
    bool current = untouched(count);
    for (std::size_t i = 0; current && i < count; ++i) {
        current = entries_[i].value == values[i];
    }
    return current ? list_ : update(values, count);
}

PyObject* PointerList::update(void const* const* values, std::size_t count) {
    bool const fresh = !untouched(count);
    if (fresh && !make(count)) {
        return nullptr;
    }
    for (std::size_t i = 0; i < count; ++i) {
        Entry& entry = entries_[i];
        if (!fresh && values[i] == entry.value) {
            continue;
        }
        PyObject* const number = PyLong_FromVoidPtr(const_cast<void*>(values[i]));
        if (number == nullptr) {
            reset();
            return nullptr;
        }
        Py_XDECREF(entry.object);
        entry = {number, values[i]};
        Py_INCREF(number);
        PyList_SetItem(list_, static_cast<Py_ssize_t>(i), number);
    }
    return list_;
}

PyObject* PointerArgument::update(void const* value) {
    Py_XDECREF(object_);
    object_ = PyLong_FromVoidPtr(const_cast<void*>(value));
    last_ = value;
    return object_;
}

int32_t EnqueueArguments::callAnew(Callback& callback, PyObject* self, EnqueueCall const& call) {
    auto const own = std::make_unique<EnqueueArguments>();
    return own->call(callback, self, call);
}

int32_t EnqueueArguments::call(Callback& callback, PyObject* self, EnqueueCall const& call) {
    if (busy_) [[unlikely]] {
        return callAnew(callback, self, call);
    }
    kiln::PluginRun const run = kiln::pluginRun();
    bool const own = call.inputDescs == run.inputDescs && call.outputDescs == run.outputDescs;
    bool const known = own && shapes_ == run.shapes && descriptorChanges_ == descriptorChanges;
    if (!known) [[unlikely]] {
        shapes_ = 0; // until both lists exist
        descriptorChanges_ = descriptorChanges;
    }
    PyObject* const in = inputDescs_.get(call.inputDescs, call.inputCount, known);
    PyObject* const out =
        in != nullptr ? outputDescs_.get(call.outputDescs, call.outputCount, known) : nullptr;
    PyObject* const from = out != nullptr ? inputs_.get(call.inputs, call.inputCount) : nullptr;
    PyObject* const to = from != nullptr ? outputs_.get(call.outputs, call.outputCount) : nullptr;
    PyObject* const space = to != nullptr ? workspace_.get(call.workspace) : nullptr;
    PyObject* const queue = space != nullptr ? stream_.get(call.stream) : nullptr;
    if (queue == nullptr) [[unlikely]] {
        return codeFrom(nullptr, callback.name());
    }
    shapes_ = own ? run.shapes : 0;
    CurrentStreams const current(run.device, call.stream);
    busy_ = true;
    PyObject* const result = callback(self, in, out, from, to, space, queue);
    busy_ = false;
    return codeFrom(result, callback.name());
}

int32_t codeFromOther(PyObject* result, char const* callback) noexcept {
    if (result == nullptr) {
        reportPluginException();
        return 1;
    }
    py::object const owned = py::reinterpret_steal<py::object>(result);
    if (PyBool_Check(result)) {
        return 0; // True for success; the API ignores both
    }
    try {
        // An array is not a code, even if its one element converts to an int.
        std::optional<int64_t> const code = isSequence(owned) ? std::nullopt : integerFrom(owned);
        if (code) {
            return *code == static_cast<int32_t>(*code) ? static_cast<int32_t>(*code) : 1;
        }
        warnOnce(std::string(callback) + ": expected None or an int, got " +
                 Py_TYPE(result)->tp_name + ", which is ignored");
        return 0;
    } catch (py::error_already_set& error) {
        error.restore();
        reportPluginException();
    } catch (std::exception const& error) {
        reportPluginProblem(PyExc_RuntimeError, error.what());
    }
    return 1;
}

} // namespace kiln::python
