// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin_support.h"

#include <unordered_map>

#include <fmt/format.h>

#include "exprs.h"
#include "warn.h"

namespace kiln::python {
namespace {

/// Guarded by the GIL. Never freed: adapters may outlive static destruction.
std::unordered_map<void const*, PyObject*>& pluginOwners() {
    static auto* const table = new std::unordered_map<void const*, PyObject*>;
    return *table;
}

/// Whether a user's class defines `name`, usually as a property.
bool userHas(py::handle self, char const* name) {
    for (py::handle const type : py::type::of(self).attr("__mro__")) {
        if (type.attr("__dict__").contains(name)) {
            return !py::isinstance<py::str>(type.attr("__module__")) ||
                   type.attr("__module__").cast<std::string>() != "kiln._core";
        }
    }
    return false;
}

py::object attributeOf(py::handle self, char const* name) {
    PyObject* const found = PyObject_GetAttrString(self.ptr(), name);
    if (found == nullptr) {
        py::error_already_set error; // takes the exception, so that Python can run
        if (!error.matches(PyExc_AttributeError) || userHas(self, name)) {
            throw std::move(error);
        }
        throw py::attribute_error(fmt::format("attribute {} of {} is not set. Set self.{} in "
                                              "__init__.",
                                              name, className(self), name));
    }
    return py::reinterpret_steal<py::object>(found);
}

bool hasAttribute(py::handle self, char const* name) {
    PyObject* const found = PyObject_GetAttrString(self.ptr(), name);
    if (found == nullptr) {
        py::error_already_set error; // takes the exception, so that Python can run
        if (!error.matches(PyExc_AttributeError) || userHas(self, name)) {
            throw std::move(error);
        }
        return false;
    }
    Py_DECREF(found);
    return true;
}

} // namespace

std::string className(py::handle object) {
    return Py_TYPE(object.ptr())->tp_name;
}

bool toBool(py::handle result, py::handle self, char const* callback) {
    if (result.is_none()) {
        warnOnce(fmt::format("{} of {}: expected True or False, got None, which counts as False. "
                             "Does each branch of the method return?",
                             callback, className(self)));
    }
    int const truth = PyObject_IsTrue(result.ptr());
    if (truth < 0) {
        PyErr_Clear();
        throw py::type_error(
            fmt::format("{}: expected True or False, got {}", callback, className(result)));
    }
    return truth != 0;
}

int64_t toInteger(py::handle result, char const* callback, int64_t least) {
    py::object const number = py::reinterpret_steal<py::object>(PyNumber_Index(result.ptr()));
    if (!number) {
        PyErr_Clear();
        throw py::type_error(
            fmt::format("{}: expected an int, got {}", callback, className(result)));
    }
    int64_t const value = PyLong_AsLongLong(number.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
        throw py::error_already_set();
    }
    if (value < least) {
        throw py::value_error(
            fmt::format("{}: expected {} or more, got {}", callback, least, value));
    }
    return value;
}

std::optional<std::vector<py::object>> itemsOf(py::handle result) {
    // A shape has elements, but is not a list of shapes.
    if ((!isSequence(result) && PyIter_Check(result.ptr()) == 0) ||
        py::isinstance<nvinfer1::Dims>(result) || py::isinstance<DimsExprsObject>(result)) {
        return std::nullopt;
    }
    std::vector<py::object> items;
    for (py::handle const item : result) {
        items.push_back(py::reinterpret_borrow<py::object>(item));
    }
    return items;
}

std::vector<py::object> toSequence(py::handle result, char const* callback, std::size_t count,
                                   char const* what, char const* why) {
    std::optional<std::vector<py::object>> const found = itemsOf(result);
    if (!found) {
        throw py::type_error(fmt::format("{}: expected a list of {} {} ({}), got {}", callback,
                                         count, what, why, className(result)));
    }
    std::vector<py::object> const& items = *found;
    if (items.size() != count) {
        throw py::value_error(fmt::format("{}: expected a list of {} {} ({}), got {}", callback,
                                          count, what, why, items.size()));
    }
    return items;
}

std::string textAttribute(py::handle self, char const* name) {
    py::object const value = attributeOf(self, name);
    if (!py::isinstance<py::str>(value)) {
        throw py::type_error(fmt::format("attribute {} of {}: expected a str, got {}", name,
                                         className(self), className(value)));
    }
    return value.cast<std::string>();
}

int64_t integerAttribute(py::handle self, char const* name, int64_t least) {
    std::string const label = fmt::format("attribute {} of {}", name, className(self));
    return toInteger(attributeOf(self, name), label.c_str(), least);
}

void checkMembers(py::handle self, std::vector<Requirements const*> const& requirements) {
    std::string missing;
    auto const add = [&](char const* kind, char const* name, char const* base) {
        missing += fmt::format("{}{} {} ({})", missing.empty() ? "" : ", ", kind, name, base);
    };
    for (Requirements const* part : requirements) {
        for (char const* name : part->attributes) {
            if (!hasAttribute(self, name)) {
                add("attribute", name, part->base);
            }
        }
        for (char const* name : part->methods) {
            if (!hasAttribute(self, name) || !defines(self, name)) {
                add("method", name, part->base);
            }
        }
    }
    if (!missing.empty()) {
        throw py::type_error(fmt::format("class {}: expected every required member, got none for: "
                                         "{}. Define the methods, and set the attributes in "
                                         "__init__.",
                                         className(self), missing));
    }
}

void remember(void const* native, py::handle self) {
    pluginOwners()[native] = self.ptr();
}

void forget(void const* native) noexcept {
    pluginOwners().erase(native);
}

py::object pythonObjectOf(void const* native) {
    auto const found = pluginOwners().find(native);
    if (found == pluginOwners().end()) {
        return {};
    }
    return py::reinterpret_borrow<py::object>(found->second);
}

} // namespace kiln::python
