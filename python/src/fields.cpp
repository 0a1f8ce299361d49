// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "fields.h"

#include <limits>

#include <fmt/format.h>
#include <pybind11/stl_bind.h>

#include "bindings.h"
#include "keep_alive.h"

namespace kiln::python {
namespace {

using nvinfer1::Dims;
using nvinfer1::PluginField;
using nvinfer1::PluginFieldType;

/// How the elements of a field type look in NumPy, and how many bits one takes in memory. Types
/// that NumPy lacks appear as unsigned integers of the same size, 4-bit types as packed bytes.
struct FieldFormat {
    char const* dtype;
    int32_t bits;
};

FieldFormat formatOf(PluginFieldType type) {
    switch (type) {
    case PluginFieldType::kFLOAT16: return {"float16", 16};
    case PluginFieldType::kFLOAT32: return {"float32", 32};
    case PluginFieldType::kFLOAT64: return {"float64", 64};
    case PluginFieldType::kINT8: return {"int8", 8};
    case PluginFieldType::kINT16: return {"int16", 16};
    case PluginFieldType::kINT32: return {"int32", 32};
    case PluginFieldType::kINT64: return {"int64", 64};
    case PluginFieldType::kCHAR: return {"int8", 8};
    case PluginFieldType::kBF16: return {"uint16", 16};
    case PluginFieldType::kFP8: return {"uint8", 8};
    case PluginFieldType::kINT4: return {"uint8", 4};
    case PluginFieldType::kFP4: return {"uint8", 4};
    case PluginFieldType::kDIMS: return {"int8", 8 * static_cast<int32_t>(sizeof(Dims))};
    case PluginFieldType::kUNKNOWN: break;
    }
    return {"int8", 8};
}

std::size_t bytesOf(PluginFieldType type, int64_t length) {
    return (static_cast<std::size_t>(length) * static_cast<std::size_t>(formatOf(type).bits) + 7U) /
           8U;
}

/// A contiguous array over the source's own memory where that is possible.
py::array toArray(py::object const& source) {
    py::module_ const numpy = py::module_::import("numpy");
    if (py::isinstance<py::array>(source)) {
        return numpy.attr("ascontiguousarray")(source);
    }
    return numpy.attr("frombuffer")(source, py::arg("dtype") = "uint8");
}

/// Whether an array of this kind may stand for a field type; raw bytes may stand for all.
bool fits(py::array const& array, PluginFieldType type) {
    char const kind = array.dtype().kind();
    auto const itemBits = static_cast<int32_t>(array.itemsize()) * 8;
    if (type == PluginFieldType::kUNKNOWN || type == PluginFieldType::kDIMS) {
        return true;
    }
    FieldFormat const format = formatOf(type);
    if (format.bits < 8 || itemBits == 8) {
        return itemBits == 8;
    }
    bool const isFloat = type == PluginFieldType::kFLOAT16 || type == PluginFieldType::kFLOAT32 ||
                         type == PluginFieldType::kFLOAT64;
    bool const kindFits = isFloat ? kind == 'f' : kind == 'i' || kind == 'u' || kind == 'V';
    return itemBits == format.bits && (kindFits || type == PluginFieldType::kBF16);
}

py::object labelOf(PluginFieldType type) {
    return py::str(py::cast(type));
}

/// A list of Dims as an array of its bytes.
py::array packDims(py::object const& source) {
    auto const items =
        py::isinstance<Dims>(source) ? py::list(py::make_tuple(source)) : py::list(source);
    std::vector<Dims> values;
    for (py::handle const item : items) {
        values.push_back(py::cast<Dims>(item));
    }
    return py::array_t<int8_t>(static_cast<py::ssize_t>(values.size() * sizeof(Dims)),
                               reinterpret_cast<int8_t const*>(values.data()));
}

py::object unpackDims(FieldObject const& field) {
    auto const array = py::cast<py::array>(field.data);
    auto const* values = static_cast<Dims const*>(array.data());
    py::list result;
    for (int32_t i = 0; i < field.size; ++i) {
        result.append(values[i]);
    }
    return result;
}

bool isBuffer(py::handle value) {
    return PyObject_CheckBuffer(value.ptr()) != 0;
}

FieldVector fieldsOf(py::iterable const& values) {
    FieldVector fields;
    for (py::handle const value : values) {
        fields.push_back(py::cast<FieldObject>(value));
    }
    return fields;
}

} // namespace

void FieldObject::setData(py::object const& source) {
    if (source.is_none()) {
        data = py::none();
        size = 0;
        return;
    }
    if (!isBuffer(source) && type != PluginFieldType::kDIMS) {
        throw py::type_error(fmt::format(
            "[plugin field] '{}': expected an array or bytes, got {}. Pass a NumPy array.", name,
            Py_TYPE(source.ptr())->tp_name));
    }
    py::array array = isBuffer(source) ? toArray(source) : packDims(source);
    if (!fits(array, type)) {
        throw py::value_error(fmt::format(
            "[plugin field] '{}': expected {} data for {}, got {}. Convert the array with "
            "astype, or name its own type.",
            name, formatOf(type).dtype, labelOf(type).cast<std::string>(),
            py::str(array.dtype()).cast<std::string>()));
    }
    int64_t const bits = static_cast<int64_t>(array.nbytes()) * 8;
    int64_t const length = bits / formatOf(type).bits;
    if (length * formatOf(type).bits != bits || length > std::numeric_limits<int32_t>::max()) {
        throw py::value_error(
            fmt::format("[plugin field] '{}': expected whole elements of {} bits and less than "
                        "2^31 of them, got {} bytes",
                        name, formatOf(type).bits, array.nbytes()));
    }
    data = array;
    size = static_cast<int32_t>(length);
}

PluginField FieldObject::native() const {
    void const* const memory = data.is_none() ? nullptr : py::cast<py::array>(data).data();
    return {name.c_str(), memory, type, size};
}

FieldObject FieldObject::from(PluginField const& field) {
    FieldObject result;
    result.name = field.name == nullptr ? "" : field.name;
    result.type = field.type;
    result.size = field.length;
    if (field.data != nullptr && field.length >= 0) {
        std::size_t const bytes = bytesOf(field.type, field.length);
        py::array_t<uint8_t> const copy(static_cast<py::ssize_t>(bytes),
                                        static_cast<uint8_t const*>(field.data));
        result.data = copy.attr("view")(formatOf(field.type).dtype);
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
             "data: a NumPy array of the element type, or bytes; kept, not copied, if contiguous. "
             "For DIMS also a list of shapes.\n"
             "type: the element type. Default: UNKNOWN.\n"
             "Raises ValueError if the array has another element type.")
        .def_readwrite("name", &FieldObject::name, "str: the attribute.")
        .def_property(
            "data",
            [](FieldObject const& self) {
                return self.type == PluginFieldType::kDIMS && !self.data.is_none()
                           ? unpackDims(self)
                           : self.data;
            },
            &FieldObject::setData,
            "numpy.ndarray: the values, None if there are none; for DIMS a list of Dims.")
        .def_readwrite("type", &FieldObject::type, "PluginFieldType: the element type.")
        .def_readwrite("size", &FieldObject::size, "int: the number of elements.");

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
