// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Calls from Kiln into small interfaces that users implement in Python (loggers, allocators,
// monitors). They are rare, so each call looks the method up, unlike calls of plugins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include <pybind11/pybind11.h>

#include "enum_names.h"

#include "failure.h"
#include "gil.h"
#include "message_code.h"

namespace kiln::python {

/// What a callback must return, for messages.
template <typename R>
constexpr char const* resultName() {
    if constexpr (std::is_same_v<R, bool>) {
        return "a bool";
    } else if constexpr (std::is_integral_v<R>) {
        return "an int";
    } else if constexpr (std::is_same_v<R, std::optional<std::uintptr_t>>) {
        return "an int or None";
    } else if constexpr (std::is_enum_v<R>) {
        return EnumName<R>::value.text;
    } else {
        return "a str";
    }
}

/// The result of a callback as its C++ type. Throws TypeError that names the callback.
template <typename R>
R resultFrom(py::object result, char const* name) {
    if constexpr (std::is_same_v<R, py::object>) {
        return result;
    } else {
        py::detail::make_caster<R> caster;
        if (!caster.load(result, true)) {
            throw py::type_error(std::string(name) + ": expected " + resultName<R>() + ", got " +
                                 Py_TYPE(result.ptr())->tp_name);
        }
        return py::detail::cast_op<R>(std::move(caster));
    }
}

/// Calls the method `name` of the Python object behind `self`. If the method is missing, raises or
/// returns another type, the error goes to sys.unraisablehook and `fallback` is returned.
template <typename R, typename Base, typename... Args>
R callUser(Base const* self, char const* name, R fallback, Args&&... arguments) noexcept {
    Gil const gil;
    if (!gil) {
        return fallback;
    }
    try {
        return orPark([&]() -> R { // for Python code beside the call itself
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
            return resultFrom<R>(py::reinterpret_steal<py::object>(result), name);
        });
    } catch (py::error_already_set& error) {
        error.restore();
    } catch (py::builtin_exception const& error) {
        setError(error);
    } catch (std::exception const& error) {
        setError(PyExc_RuntimeError, error.what());
    }
    reportUnraisable(name);
    return fallback;
}

/// Like callUser, for methods that return nothing.
template <typename Base, typename... Args>
void notifyUser(Base const* self, char const* name, Args&&... arguments) noexcept {
    Gil const gil; // the result is released below
    if (gil) {
        callUser<py::object>(self, name, py::object(), std::forward<Args>(arguments)...);
    }
}

/// Whether the user's class defines an optional method. Also true for an attribute that cannot be
/// called: the call then reports it.
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
