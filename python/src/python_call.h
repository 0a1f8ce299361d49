// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Calls from Kiln into a Python plugin. Every plugin generation uses these classes.
//
// If nothing changed since the last call, a call makes no Python object and allocates nothing: the
// method was looked up once, the argument objects are those of the last call, and the call itself
// is a vectorcall. Arguments change only when their C values do. If the last callee kept an
// argument (as its reference count shows), the call gets a new object; an argument that the callee
// only altered is corrected.
#pragma once

#include <cstdint>
#include <vector>

#include <NvInferRuntime.h>
#include <pybind11/pybind11.h>

#include "enum_names.h"
#include "gil.h"

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
    bool defined(PyObject* self) { return lookedUp_ ? function_ != nullptr : lookUp(self); }

    /// Calls with arguments (borrowed). Returns a new reference, or null with an exception set.
    template <typename... Args>
    PyObject* operator()(PyObject* self, Args... arguments) {
        if (!defined(self)) {
            return missing(self, name_);
        }
        // The callee may use the slot before the arguments (PY_VECTORCALL_ARGUMENTS_OFFSET).
        PyObject* slots[] = {nullptr, self, arguments...};
        if (takesSelf_) {
            return vectorcall(function_, slots + 1, sizeof...(Args) + 1);
        }
        return vectorcall(function_, slots + 2, sizeof...(Args));
    }

private:
    static PyObject* vectorcall(PyObject* function, PyObject** slots, std::size_t count) {
        return orPark([&] {
            return PyObject_Vectorcall(function, slots, count | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                       nullptr);
        });
    }

    [[gnu::cold]] bool lookUp(PyObject* self);
    [[gnu::cold]] static PyObject* missing(PyObject* self, char const* name);

    char const* name_;
    PyObject* function_ = nullptr; // the function of a bound method, else the attribute
    bool takesSelf_ = false;
    bool lookedUp_ = false;
};

/// A Python list that is kept from call to call, with an object for each C value of type `Value`.
template <typename Value>
class KeptList {
public:
    KeptList() = default;
    ~KeptList() { reset(); }
    KeptList(KeptList const&) = delete;
    KeptList& operator=(KeptList const&) = delete;

protected:
    struct Entry {
        PyObject* object = nullptr; // with its own reference beside the list's
        Value value{};
    };

    [[gnu::cold]] void reset() noexcept;
    /// Makes a list of `count` empty slots. False: an exception is set.
    [[gnu::cold]] bool make(std::size_t count);
    /// Whether the list has that length, is unchanged, and has no other reference.
    bool untouched(std::size_t count) const noexcept {
        if (list_ == nullptr || Py_REFCNT(list_) != 1 || entries_.size() != count ||
            PyList_GET_SIZE(list_) != static_cast<Py_ssize_t>(count)) {
            return false;
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (PyList_GET_ITEM(list_, static_cast<Py_ssize_t>(i)) != entries_[i].object) {
                return false;
            }
        }
        return true;
    }

    PyObject* list_ = nullptr;
    std::vector<Entry> entries_;
};

// Neither get() below is inlined: a run calls each for inputs and for outputs, and between runs the
// plugin's code evicts the caches, so that a second copy of the code costs more than a call.

/// A list of PluginTensorDesc or DynamicPluginTensorDesc objects.
template <typename Desc>
class DescList : public KeptList<Desc*> {
public:
    /// The list for these descriptors (borrowed), or null with an exception set. `known`: the
    /// descriptors and the objects have not changed since the last call.
    [[gnu::noinline]] PyObject* get(Desc const* values, std::size_t count, bool known = false);

private:
    bool heldByOthers() const noexcept;
    [[gnu::cold]] PyObject* update(Desc const* values, std::size_t count);
};

extern template class DescList<nvinfer1::PluginTensorDesc>;
extern template class DescList<nvinfer1::DynamicPluginTensorDesc>;

/// A list of addresses as Python integers.
class PointerList : public KeptList<void const*> {
public:
    [[gnu::noinline]] PyObject* get(void const* const* values, std::size_t count);

private:
    [[gnu::cold]] PyObject* update(void const* const* values, std::size_t count);
};

/// An address as a Python integer.
class PointerArgument {
public:
    ~PointerArgument() { Py_XDECREF(object_); }
    PyObject* get(void const* value) {
        return object_ != nullptr && value == last_ ? object_ : update(value);
    }

private:
    [[gnu::cold]] PyObject* update(void const* value);

    PyObject* object_ = nullptr;
    void const* last_ = nullptr;
};

/// One call of enqueue as the runtime makes it, the same in every plugin generation.
struct EnqueueCall {
    std::size_t inputCount;
    std::size_t outputCount;
    nvinfer1::PluginTensorDesc const* inputDescs;
    nvinfer1::PluginTensorDesc const* outputDescs;
    void const* const* inputs;
    void* const* outputs;
    void* workspace;
    void* stream;
};

/// The six Python arguments of enqueue.
class EnqueueArguments {
public:
    /// Calls `callback` of `self`. Returns the result for enqueue: 0 for success. Reports
    /// exceptions and wrong results.
    int32_t call(Callback& callback, PyObject* self, EnqueueCall const& call);

private:
    [[gnu::cold, gnu::noinline]] static int32_t callAnew(Callback& callback, PyObject* self,
                                                         EnqueueCall const& call);

    uint64_t shapes_ = 0; // PluginRun::shapes of the descriptors in the lists; 0: unknown
    uint64_t descriptorChanges_ = 0; // the count at that time
    DescList<nvinfer1::PluginTensorDesc> inputDescs_;
    DescList<nvinfer1::PluginTensorDesc> outputDescs_;
    PointerList inputs_;
    PointerList outputs_;
    PointerArgument workspace_;
    PointerArgument stream_;
    bool busy_ = false; // during a call: a second thread must not share the arguments
};

/// codeFrom() for all results but None.
[[gnu::cold]] int32_t codeFromOther(PyObject* result, char const* callback) noexcept;

/// The code that a callback returns for Python's `result` (a new reference; null: an exception is
/// pending, which is reported). None counts as success, an integer is the code itself. Other
/// results are ignored, as in the API, with one warning.
inline int32_t codeFrom(PyObject* result, char const* callback) noexcept {
    if (result != Py_None) [[unlikely]] {
        return codeFromOther(result, callback);
    }
    Py_DECREF(result);
    return 0;
}

} // namespace kiln::python
