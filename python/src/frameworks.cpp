// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "frameworks.h"

namespace kiln::python {
namespace {

/// A module that is imported, or whose import is in progress.
py::object moduleOf(char const* name) {
    py::str const text(name);
    auto module = py::reinterpret_steal<py::object>(PyImport_GetModule(text.ptr()));
    if (!module || module.is_none()) {
        PyErr_Clear();
        return {};
    }
    return module;
}

bool isComplete(py::object const& module) {
    py::object const spec = py::getattr(module, "__spec__", py::none());
    return !py::bool_(py::getattr(spec, "_initializing", py::bool_(false)));
}

} // namespace

constinit Frameworks Frameworks::found;

void Frameworks::look() {
    modules_ = PyImport_GetModuleDict();
    Py_ssize_t const count = PyDict_GET_SIZE(modules_);
    bool complete = true;
    auto const lookFor = [&](char const* name, auto& functions, auto make) {
        py::object const module = functions == nullptr ? moduleOf(name) : py::object();
        if (module && !isComplete(module)) {
            complete = false;
        } else if (module) {
            functions = make(module);
        }
    };
    lookFor("torch", torch, functionsOfTorch);
    lookFor("cupy", cupy, functionsOfCupy);
    lookedAmong_ = complete ? count : -1;
}

void drop(PyObject* result, PyObject* function) {
    if (result == nullptr) {
        PyErr_WriteUnraisable(function);
    }
    Py_XDECREF(result);
}

} // namespace kiln::python
