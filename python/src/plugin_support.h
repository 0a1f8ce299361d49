// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Functions for the adapters of all plugin generations: the frame around a callback, results and
// attributes of Python objects, and the map from a native pointer to the user's object.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "bindings.h"
#include "failure.h"
#include "gil.h"
#include "message_code.h"
#include "python_call.h"

namespace kiln::python {

/// Runs the body of a callback with the GIL. If it throws, the exception is reported, and `failure`
/// is returned.
template <typename R, typename F>
R guarded(R failure, F&& body) noexcept {
    Gil const gil;
    if (!gil) {
        return failure;
    }
    try {
        return orPark([&] { return body(); }); // for Python code outside of a Callback
    } catch (py::error_already_set& error) {
        error.restore();
        reportPluginException();
    } catch (py::builtin_exception const& error) {
        setError(error);
        reportPluginException();
    } catch (std::exception const& error) {
        reportPluginProblem(PyExc_RuntimeError, error.what());
    }
    return failure;
}

/// The result of a call, or the exception that it raised.
inline py::object taken(PyObject* result) {
    if (result == nullptr) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::object>(result);
}

/// The name of an object's class, for messages.
std::string className(py::handle object);

// Results of callbacks; `callback` names them in messages. Each throws TypeError or ValueError.
/// None counts as False, as in the API, with a warning: a method may end without a return. `self`
/// is for the warning.
bool toBool(py::handle result, py::handle self, char const* callback);
int64_t toInteger(py::handle result, char const* callback, int64_t least);
/// The elements of a list, another sequence or an iterator; nullopt for other objects.
std::optional<std::vector<py::object>> itemsOf(py::handle result);
/// The `count` elements of a sequence or iterator. For messages, `what` names the elements, and
/// `why` names what determines the count.
std::vector<py::object> toSequence(py::handle result, char const* callback, std::size_t count,
                                   char const* what, char const* why);

/// Attributes that replace getters. Each throws AttributeError with the remedy if unset.
std::string textAttribute(py::handle self, char const* name);
int64_t integerAttribute(py::handle self, char const* name, int64_t least);

/// The members that one base class of a plugin requires.
struct Requirements {
    char const* base;
    std::vector<char const*> attributes;
    std::vector<char const*> methods;
};

/// Throws TypeError that names every member of `requirements` that `self` lacks, or the exception
/// that a property of the user's class raised.
void checkMembers(py::handle self, std::vector<Requirements const*> const& requirements);

// Maps native pointers of adapters to the users' Python objects.
void remember(void const* native, py::handle self);
void forget(void const* native) noexcept;
/// Null if the pointer is not that of an adapter.
py::object pythonObjectOf(void const* native);

} // namespace kiln::python
