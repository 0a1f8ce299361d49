// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Calls from Kiln into small interfaces that users implement in Python (loggers, allocators,
// monitors). They are rare, so each looks its method up, unlike those of plugins.
#pragma once

#include <string>
#include <type_traits>

#include <pybind11/pybind11.h>

#include "enum_names.h"

#include "failure.h"
#include "gil.h"

namespace kiln::python {

/// Calls the method `name` of the Python object behind `self`. Without one, or if it raises or
/// returns another type, the problem goes to sys.unraisablehook and `fallback` is returned.
template <typename R, typename Base, typename... Args>
R callUser(Base const* self, char const* name, R fallback, Args&&... arguments) noexcept {
    Gil const gil;
    if (!gil) {
        return fallback;
    }
    try {
        return orPark([&]() -> R { // for what runs beside the call itself
            py::function const method = py::get_override(self, name);
            if (!method) {
                throw py::type_error(std::string("expected the method ") + name +
                                     ", the class does not define it");
            }
            py::tuple const all = py::make_tuple(std::forward<Args>(arguments)...);
            PyObject* const result =
                orPark([&] { return PyObject_CallObject(method.ptr(), all.ptr()); });
            if (result == nullptr) {
                throw py::error_already_set();
            }
            return py::cast<R>(py::reinterpret_steal<py::object>(result));
        });
    } catch (py::error_already_set& error) {
        error.restore();
    } catch (py::builtin_exception const& error) {
        error.set_error();
    } catch (std::exception const& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    reportUnraisable(name);
    return fallback;
}

/// As callUser, for methods that return nothing.
template <typename Base, typename... Args>
void notifyUser(Base const* self, char const* name, Args&&... arguments) noexcept {
    Gil const gil; // the result is let go of below
    if (gil) {
        callUser<py::object>(self, name, py::object(), std::forward<Args>(arguments)...);
    }
}

/// Whether the user's class defines an optional method. Also true for an attribute that cannot be
/// called: the call then says so.
template <typename Base>
bool userDefines(Base const* self, char const* name) noexcept {
    Gil const gil;
    try {
        return gil && static_cast<bool>(py::get_override(self, name));
    } catch (...) {
        return true;
    }
}

} // namespace kiln::python
