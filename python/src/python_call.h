// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Calls from Kiln into a Python plugin. Every plugin generation uses these pieces.
//
// On the path where nothing changed since the last call, a call makes no Python object and
// allocates nothing: the method was looked up once, the argument objects are those of the last
// call, and the call itself is a vectorcall. Arguments change only when the C values behind them
// do. An argument that the callee kept (its reference count says so) or altered is given up after
// the call, and the next call gets a new one.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

#include "enum_names.h"

namespace kiln::python {

namespace py = pybind11;

/// Declares that class `cls` has a method only to document a callback: a subclass that inherits it
/// counts as not having defined the callback.
void documentationOnly(py::handle cls, std::initializer_list<char const*> names);

/// Whether the class of `self`, or `self` itself, defines `name` beyond documentation.
bool defines(py::handle self, char const* name);

/// One callback of one Python object, looked up at first use. All members need the GIL.
class Callback {
public:
    explicit constexpr Callback(char const* name) : name_(name) {}
    ~Callback() { Py_XDECREF(function_); }
    Callback(Callback const&) = delete;
    Callback& operator=(Callback const&) = delete;

    char const* name() const noexcept { return name_; }
    bool defined(PyObject* self);

    /// Calls with arguments (borrowed). Returns a new reference, or null with an exception set.
    template <typename... Args>
    PyObject* operator()(PyObject* self, Args... arguments) {
        if (!defined(self)) {
            return missing(self);
        }
        // One slot before the arguments is the callee's to use (PY_VECTORCALL_ARGUMENTS_OFFSET).
        PyObject* slots[] = {nullptr, self, arguments...};
        if (takesSelf_) {
            return PyObject_Vectorcall(function_, slots + 1,
                                       (sizeof...(Args) + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                       nullptr);
        }
        return PyObject_Vectorcall(function_, slots + 2,
                                   sizeof...(Args) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    }

private:
    static PyObject* missing(PyObject* self, char const* name);
    PyObject* missing(PyObject* self) const { return missing(self, name_); }

    char const* name_;
    PyObject* function_ = nullptr; // the function under a bound method, if it is one
    bool takesSelf_ = false;
    bool lookedUp_ = false;
};

/// A Python list that is kept from call to call with `Item` objects that mirror C values.
class KeptList {
public:
    KeptList() = default;
    ~KeptList() { reset(); }
    KeptList(KeptList const&) = delete;
    KeptList& operator=(KeptList const&) = delete;

protected:
    void reset() noexcept;
    bool make(std::size_t count);
    /// Whether the list, and its order, is as it was made and nobody else holds it.
    bool listUntouched() const noexcept;

    PyObject* list_ = nullptr;
    std::vector<PyObject*> items_; // each with a reference of ours beside the list's
};

/// A list of PluginTensorDesc or DynamicPluginTensorDesc objects.
template <typename Desc>
class DescList : public KeptList {
public:
    /// The list for these descriptors (borrowed), or null with an exception set.
    PyObject* get(Desc const* values, std::size_t count) {
        if (list_ != nullptr && count == last_.size() &&
            std::memcmp(last_.data(), values, count * sizeof(Desc)) == 0) {
            return list_;
        }
        return update(values, count);
    }

    /// To be called after the callee returned: gives up what it kept or altered.
    void settle() noexcept {
        if (list_ == nullptr) {
            return;
        }
        bool untouched = listUntouched();
        for (std::size_t i = 0; untouched && i < items_.size(); ++i) {
            untouched =
                Py_REFCNT(items_[i]) == 2 && std::memcmp(natives_[i], &last_[i], sizeof(Desc)) == 0;
        }
        if (!untouched) {
            reset();
            last_.clear();
        }
    }

private:
    PyObject* update(Desc const* values, std::size_t count);

    std::vector<Desc*> natives_; // the C values inside the items
    std::vector<Desc> last_;
};

extern template class DescList<nvinfer1::PluginTensorDesc>;
extern template class DescList<nvinfer1::DynamicPluginTensorDesc>;

/// A list of addresses as Python integers.
class PointerList : public KeptList {
public:
    PyObject* get(void const* const* values, std::size_t count) {
        if (list_ != nullptr && count == last_.size() &&
            (count == 0 || std::memcmp(last_.data(), values, count * sizeof(void*)) == 0)) {
            return list_;
        }
        return update(values, count);
    }

    void settle() noexcept {
        // The integers themselves cannot be altered, so it does not matter who else holds them.
        if (list_ != nullptr && !listUntouched()) {
            reset();
            last_.clear();
        }
    }

private:
    PyObject* update(void const* const* values, std::size_t count);

    std::vector<void const*> last_;
};

/// An address as a Python integer.
class PointerArgument {
public:
    ~PointerArgument() { Py_XDECREF(object_); }
    PyObject* get(void const* value) {
        if (object_ == nullptr || value != last_) {
            Py_XDECREF(object_);
            object_ = PyLong_FromVoidPtr(const_cast<void*>(value));
            last_ = value;
        }
        return object_;
    }

private:
    PyObject* object_ = nullptr;
    void const* last_ = nullptr;
};

/// The six arguments of enqueue, the same in every plugin generation.
class EnqueueArguments {
public:
    /// Calls `callback` of `self`. Returns what enqueue shall return: 0 for success. Reports
    /// exceptions and wrong results.
    int32_t call(Callback& callback, PyObject* self, std::size_t inputCount,
                 std::size_t outputCount, nvinfer1::PluginTensorDesc const* inputDescs,
                 nvinfer1::PluginTensorDesc const* outputDescs, void const* const* inputs,
                 void* const* outputs, void* workspace, void* stream);

private:
    void settle() noexcept {
        inputDescs_.settle();
        outputDescs_.settle();
        inputs_.settle();
        outputs_.settle();
    }

    DescList<nvinfer1::PluginTensorDesc> inputDescs_;
    DescList<nvinfer1::PluginTensorDesc> outputDescs_;
    PointerList inputs_;
    PointerList outputs_;
    PointerArgument workspace_;
    PointerArgument stream_;
    bool busy_ = false; // a callee that lets another thread in must not share its arguments
};

/// The code that a callback returns when Python gave `result` (a new reference; null: an exception
/// is pending, which is reported). None counts as success, an integer is the code itself.
int32_t codeFrom(PyObject* result, char const* callback) noexcept;

} // namespace kiln::python
