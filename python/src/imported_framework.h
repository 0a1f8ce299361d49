// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// What the current streams of frameworks have in common.
#pragma once

#include <memory>

#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// A module that something else has imported, completely; null if nothing has.
py::object imported(PyObject* name);

/// The functions of one framework, looked up when it has been imported. Never freed: threads may
/// outlive the interpreter.
template <typename Functions>
Functions const* functionsOf(char const* name) {
    static Functions* found = nullptr;
    static bool without = false; // it is there, but was built without CUDA
    if (found != nullptr || without) [[likely]] {
        return found;
    }
    // An import would make the table longer: a look at its length is all that most calls pay.
    static PyObject* modules = nullptr;
    static Py_ssize_t lookedAmong = -1;
    if (modules == nullptr) {
        modules = PyImport_GetModuleDict();
    }
    Py_ssize_t const count = PyDict_GET_SIZE(modules);
    if (count == lookedAmong) [[likely]] {
        return nullptr;
    }
    auto const interned = py::reinterpret_steal<py::object>(PyUnicode_InternFromString(name));
    lookedAmong = PyDict_Contains(modules, interned.ptr()) == 0 ? count : -1;
    if (py::object const module = imported(interned.ptr())) {
        auto functions = std::make_unique<Functions>(module);
        without = !functions->complete();
        found = without ? nullptr : functions.release();
    }
    return found;
}

/// The legacy default stream has two names, 0 and cudaStreamLegacy.
inline void* plain(void* stream) {
    return stream == reinterpret_cast<void*>(1) ? nullptr : stream;
}

inline void* pointerFrom(py::object const& number) {
    return plain(PyLong_AsVoidPtr(number.ptr()));
}

/// After a call that ends a change: there is nobody left to fail.
void drop(PyObject* result, PyObject* function);

constexpr std::size_t kMostStreams = 64; // programs make streams anew; then caches begin anew, too

} // namespace kiln::python
