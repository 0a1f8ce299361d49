// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "failure.h"

#include <algorithm>
#include <cctype>

#include <kiln/plugin_error.h>

#include "buffer.h"

namespace kiln::python {
namespace {

bool raiseErrors = false;

/// Takes the pending exception, with its traceback attached; null if there is none.
PyObject* takeException() noexcept {
#if PY_VERSION_HEX >= 0x030C0000
    return PyErr_GetRaisedException();
#else
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    if (type == nullptr) {
        return nullptr;
    }
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != nullptr) {
        PyException_SetTraceback(value, traceback);
        Py_DECREF(traceback);
    }
    Py_DECREF(type);
    return value;
#endif
}

void restoreException(PyObject* exception) noexcept {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception)), exception);
    Py_DECREF(exception);
}

/// KeyboardInterrupt and its like always reach the caller; the rest only if asked for, because an
/// exception holds its frames, and with them the user's arrays.
void keep(PyObject* exception) noexcept {
    bool const isError = PyObject_IsInstance(exception, PyExc_Exception) == 1;
    if (raiseErrors || !isError) {
        forgetKept();
        Py_INCREF(exception);
        keptException = exception;
    }
}

/// What to change when the plugin names a GPU on the cpu target; empty for other exceptions.
std::string deviceHint(PyObject* exception) {
    std::string text = py::str(py::handle(exception)).cast<std::string>();
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (text.find("cuda") == std::string::npos || currentDevice() >= 0) {
        return {};
    }
    return "\nThe target is cpu, whose tensors are in host memory: write tensor.device, or 'cpu', "
           "where the plugin says 'cuda'.";
}

std::string formatted(PyObject* exception) {
    try {
        py::object const lines =
            py::module_::import("traceback").attr("format_exception")(py::handle(exception));
        auto text = py::str("").attr("join")(lines).cast<std::string>();
        while (!text.empty() && text.back() == '\n') {
            text.pop_back();
        }
        return text + deviceHint(exception);
    } catch (std::exception const&) {
        PyErr_Clear();
        return std::string(Py_TYPE(exception)->tp_name) + " (its traceback cannot be formatted)";
    }
}

} // namespace

void reportPluginException() noexcept {
    PyObject* const exception = takeException();
    if (exception == nullptr) {
        return;
    }
    kilnReportPluginError(formatted(exception).c_str());
    keep(exception);
    Py_DECREF(exception);
}

void reportPluginProblem(PyObject* kind, std::string const& text) noexcept {
    PyErr_SetString(kind, text.c_str());
    PyObject* const exception = takeException();
    if (exception == nullptr) {
        return;
    }
    kilnReportPluginError(text.c_str());
    keep(exception);
    Py_DECREF(exception);
}

void reportUnraisable(char const* where) noexcept {
    PyObject* const exception = takeException();
    if (exception == nullptr) {
        return;
    }
    keep(exception);
    restoreException(exception);
    PyObject* const context = PyUnicode_FromString(where);
    PyErr_WriteUnraisable(context);
    Py_XDECREF(context);
}

void setRaiseErrors(bool on) noexcept {
    raiseErrors = on;
}

bool raisesErrors() noexcept {
    return raiseErrors;
}

void raiseKept() {
    if (keptException != nullptr) {
        PyObject* const exception = keptException;
        keptException = nullptr;
        restoreException(exception);
        throw py::error_already_set();
    }
}

} // namespace kiln::python
