// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "imported_framework.h"

namespace kiln::python {

py::object imported(PyObject* name) {
    auto module = py::reinterpret_steal<py::object>(PyImport_GetModule(name));
    if (!module || module.is_none()) {
        PyErr_Clear();
        return {};
    }
    py::object const spec = py::getattr(module, "__spec__", py::none());
    bool const busy = py::bool_(py::getattr(spec, "_initializing", py::bool_(false)));
    return busy ? py::object() : module;
}

void drop(PyObject* result, PyObject* function) {
    if (result == nullptr) {
        PyErr_WriteUnraisable(function);
    }
    Py_XDECREF(result);
}

} // namespace kiln::python
