// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "fields.h"

#include <utility>

#include <fmt/format.h>
#include <pybind11/stl_bind.h>

#include "bindings.h"
#include "field_data.h"
#include "keep_alive.h"

namespace kiln::python {
namespace {

using nvinfer1::PluginField;
using nvinfer1::PluginFieldType;

FieldVector fieldsOf(py::iterable const& values) {
    FieldVector fields;
    for (py::handle const value : values) {
        if (!py::isinstance<FieldObject>(value)) {
            throw py::type_error(fmt::format("expected a PluginFieldCollection, got {} in it",
                                             Py_TYPE(value.ptr())->tp_name));
        }
        fields.push_back(py::cast<FieldObject>(value));
    }
    return fields;
}

} // namespace

void FieldObject::setData(py::object const& source) {
    if (source.is_none()) {
        given = data = py::none();
        size = 0;
        return;
    }
    FieldData converted = toFieldData(name, source, type);
    data = std::move(converted.array);
    size = capacity = converted.count;
    given = source;
}

void FieldObject::setType(PluginFieldType newType) {
    PluginFieldType const old = std::exchange(type, newType);
    if (given.is_none() || old == newType) {
        return;
    }
    try {
        setData(given);
    } catch (...) {
        type = old;
        throw;
    }
}

void FieldObject::setSize(int32_t length) {
    if (!data.is_none() && (length < 0 || length > capacity)) {
        throw py::value_error(fmt::format("[plugin field] '{}': expected a size of 0 to {}, the "
                                          "elements of its data, got {}",
                                          name, capacity, length));
    }
    size = length;
}

py::object FieldObject::values() const {
    if (data.is_none()) {
        return data;
    }
    if (type == PluginFieldType::kDIMS) {
        return unpackDims(data, size);
    }
    return size < capacity ? py::object(data[py::slice(0, size, 1)]) : data;
}

PluginField FieldObject::native() const {
    if (data.is_none()) {
        return {name.c_str(), nullptr, type, size};
    }
    auto const array = py::cast<py::array>(data);
    if (type == PluginFieldType::kUNKNOWN && size == capacity) {
        // With its type, the elements arrive where the plan is opened, and not their bytes.
        if (PluginFieldType const found = fieldTypeOf(array); found != type) {
            return {name.c_str(), array.data(), found, static_cast<int32_t>(array.size())};
        }
    }
    return {name.c_str(), array.data(), type, size};
}

FieldObject FieldObject::from(PluginField const& field) {
    FieldObject result;
    result.name = field.name == nullptr ? "" : field.name;
    result.type = field.type;
    result.size = field.length;
    // An empty field has no memory; it becomes an empty array even if its pointer is null.
    if (field.length == 0 || (field.data != nullptr && field.length > 0)) {
        result.capacity = field.length;
        result.given = result.data = copyFieldData(field.data, field.type, field.length);
    }
    return result;
}

FieldCollection::FieldCollection(FieldVector source) : fields(std::move(source)) {
    for (FieldObject const& field : fields) {
        natives.push_back(field.native());
    }
    collection = {static_cast<int32_t>(natives.size()), natives.data()};
}

py::object FieldCollection::fromNative(nvinfer1::PluginFieldCollection const* source) {
    FieldVector fields;
    for (int32_t i = 0; source != nullptr && i < source->nbFields; ++i) {
        fields.push_back(FieldObject::from(source->fields[i]));
    }
    return py::cast(std::make_unique<FieldCollection>(std::move(fields)));
}

std::unique_ptr<FieldCollection> toFieldCollection(py::handle value) {
    if (py::isinstance<FieldCollection>(value)) {
        return std::make_unique<FieldCollection>(value.cast<FieldCollection const&>().fields);
    }
    if (py::isinstance<FieldVector>(value)) {
        return std::make_unique<FieldCollection>(value.cast<FieldVector const&>());
    }
    if (!py::isinstance<py::iterable>(value)) {
        throw py::type_error(
            fmt::format("expected a PluginFieldCollection, got {}", Py_TYPE(value.ptr())->tp_name));
    }
    return std::make_unique<FieldCollection>(fieldsOf(py::cast<py::iterable>(value)));
}

void initFields(py::module_& m) {
    py::class_<FallbackString>(m, "FallbackString", "Text given as str or as UTF-8 bytes.")
        .def(py::init([](std::string text) { return FallbackString{std::move(text)}; }),
             "The text.");
    py::implicitly_convertible<py::str, FallbackString>();
    py::implicitly_convertible<py::bytes, FallbackString>();

    py::class_<FieldObject>(m, "PluginField",
                            "A named attribute of a plugin.\n\n"
                            "Example: ``PluginField('pads', numpy.array([1, 1], numpy.int32), "
                            "PluginFieldType.INT32)``.")
        .def(py::init([](FallbackString name) {
                 FieldObject field;
                 field.name = std::move(name.text);
                 return field;
             }),
             "name"_a = FallbackString{}, "A field without data.")
        .def(py::init([](FallbackString name, py::object const& data, PluginFieldType type) {
                 FieldObject field;
                 field.name = std::move(name.text);
                 field.type = type;
                 field.setData(data);
                 return field;
             }),
             "name"_a, "data"_a, "type"_a = PluginFieldType::kUNKNOWN,
             "name: the attribute.\n"
             "data: a NumPy array; kept, not copied, if it is contiguous and of the element type. "
             "Numbers of another type are converted if their values fit, with a warning; so are "
             "sequences and single numbers. bytes and str (CHAR) are used unchanged. For DIMS, a "
             "list of shapes. Empty data of any type is an empty field.\n"
             "type: the element type. Default: UNKNOWN.\n"
             "Raises ValueError for values that the element type cannot hold.")
        .def_readwrite("name", &FieldObject::name, "str: the attribute.")
        .def_property("data", &FieldObject::values, &FieldObject::setData,
                      "numpy.ndarray: the values, a 1-D array of the element type; None "
                      "if there are none; for DIMS a list of Dims.")
        .def_property(
            "type", [](FieldObject const& self) { return self.type; }, &FieldObject::setType,
            "PluginFieldType: the element type.")
        .def_property(
            "size", [](FieldObject const& self) { return self.size; }, &FieldObject::setSize,
            "int: the number of elements.");

    py::bind_vector<FieldVector>(m, "PluginFieldCollection").attr("__doc__") =
        "A list of PluginField.";

    py::class_<FieldCollection>(m, "PluginFieldCollection_", "The fields of a plugin, read only.")
        .def(py::init([](FieldVector const& fields) {
                 return std::make_unique<FieldCollection>(fields);
             }),
             "The fields.")
        .def("__len__", [](FieldCollection const& self) { return self.fields.size(); })
        .def(
            "__getitem__",
            [](FieldCollection& self, py::ssize_t index) -> FieldObject& {
                auto const length = static_cast<py::ssize_t>(self.fields.size());
                py::ssize_t const at = index < 0 ? index + length : index;
                if (at < 0 || at >= length) {
                    throw py::index_error(fmt::format(
                        "[plugin fields] index {} is out of range for {} fields", index, length));
                }
                return self.fields[static_cast<std::size_t>(at)];
            },
            py::return_value_policy::reference_internal)
        .def(
            "__iter__",
            [](FieldCollection& self) {
                return py::make_iterator(self.fields.begin(), self.fields.end());
            },
            KeepAlive<0, 1>());
    py::implicitly_convertible<FieldVector, FieldCollection>();
}

} // namespace kiln::python
