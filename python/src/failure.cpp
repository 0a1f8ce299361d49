// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "failure.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <stdexcept>
#include <typeinfo>
#include <utility>

#include <kiln/kiln.h>
#include <kiln/message_code.h>
#include <kiln/plugin_error.h>

#include "buffer.h"
#include "message_code.h"

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

/// Keeps an exception for the caller. Subclasses of Exception are kept only after
/// raise_errors(True), because an exception holds its frames, and these the user's arrays;
/// KeyboardInterrupt and the like are always kept.
void keep(PyObject* exception) noexcept {
    bool const isError = PyObject_IsInstance(exception, PyExc_Exception) == 1;
    if (raiseErrors || !isError) {
        forgetKept();
        Py_INCREF(exception);
        keptException = exception;
    }
}

/// What to change if the plugin names a GPU on the cpu target; empty for other exceptions.
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
            py::module_::import("kiln._traceback").attr("format_exception")(py::handle(exception));
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

/// Reports the text of an exception to Kiln, after the text of earlier ones.
void addReport(PyObject* exception) {
    std::string text = kilnTakePluginError();
    text += (text.empty() ? "" : "\n") + formatted(exception);
    kilnReportPluginError(text.c_str());
}

constinit thread_local bool takesFinalizers = false;

/// sys.unraisablehook while a plugin is destroyed: reports, then calls the previous hook.
PyObject* takeUnraisable(PyObject* before, PyObject* unraisable) noexcept {
    if (takesFinalizers) {
        PyObject* const exception = PyObject_GetAttrString(unraisable, "exc_value");
        if (exception != nullptr && exception != Py_None) {
            addReport(exception);
        }
        Py_XDECREF(exception);
        PyErr_Clear();
    }
    return PyObject_CallOneArg(before, unraisable);
}

PyMethodDef unraisableHook{"kiln_unraisablehook", &takeUnraisable, METH_O,
                           "Reports exceptions in the finalizers of plugins."};

} // namespace

void reportLate(char const* where) noexcept {
    PyObject* const exception = takeException();
    if (exception == nullptr) {
        return;
    }
    addReport(exception);
    restoreException(exception);
    reportUnraisable(where);
}

FinalizerErrors::FinalizerErrors() noexcept : outer_(std::exchange(takesFinalizers, true)) {
    PyObject* const hook = PySys_GetObject("unraisablehook");
    if (outer_ || hook == nullptr) {
        return;
    }
    PyObject* const own = PyCFunction_New(&unraisableHook, hook);
    if (own == nullptr) {
        PyErr_Clear();
        return;
    }
    Py_INCREF(hook);
    before_ = hook;
    PySys_SetObject("unraisablehook", own);
    Py_DECREF(own);
}

FinalizerErrors::~FinalizerErrors() {
    takesFinalizers = outer_;
    if (before_ != nullptr) {
        PySys_SetObject("unraisablehook", before_);
        Py_DECREF(before_);
    }
}

std::string describeException(py::error_already_set const& error) {
    py::object const value = error.value();
    if (error.trace()) {
        PyException_SetTraceback(value.ptr(), error.trace().ptr());
    }
    return formatted(value.ptr());
}

void reportPluginException() noexcept {
    PyObject* const exception = takeException();
    if (exception == nullptr) {
        return;
    }
    try {
        kilnReportPluginError(formatted(exception).c_str());
    } catch (...) {
        PyErr_Clear();
        kilnReportPluginError("an exception was raised; there is no memory for its text");
    }
    keep(exception);
    Py_DECREF(exception);
}

void reportPluginProblem(PyObject* kind, std::string const& text) noexcept {
    setError(kind, text);
    PyObject* const exception = takeException();
    if (exception == nullptr) {
        return;
    }
    kilnReportPluginError(kiln::withMessageCode(text.c_str()));
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

void setError(PyObject* type, std::string const& text) {
    PyErr_SetString(type, kiln::withMessageCode(text.c_str()));
}

void setError(py::builtin_exception const& error) {
    error.set_error();
    if (PyObject* const type = PyErr_Occurred()) {
        setError(type, error.what());
    }
}

void registerMessageCodes() {
    py::register_local_exception_translator([](std::exception_ptr pointer) {
        try {
            std::rethrow_exception(std::move(pointer));
        } catch (py::type_error const& error) {
            setError(error);
        } catch (py::value_error const& error) {
            setError(error);
        } catch (py::attribute_error const& error) {
            setError(error);
        } catch (py::index_error const& error) {
            setError(error);
        } catch (py::buffer_error const& error) {
            setError(error);
        } catch (std::runtime_error const& error) {
            if (typeid(error) != typeid(std::runtime_error)) {
                throw; // pybind11's own, such as stop_iteration
            }
            setError(PyExc_RuntimeError, error.what());
        }
    });
}

void forgetError() noexcept {
    static_cast<void>(kiln::takeLastError());
}

std::string reportedError(std::string_view otherwise) {
    std::string reported = kiln::takeLastError();
    return reported.empty() ? std::string(otherwise) : reported;
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
