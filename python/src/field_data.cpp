// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "field_data.h"

#include <limits>
#include <vector>

#include <fmt/format.h>

#include "bindings.h"

namespace kiln::python {
namespace {

using nvinfer1::Dims;
using nvinfer1::PluginFieldType;

/// The NumPy type of a field type's elements, and the bits of an element in memory. Types that
/// NumPy lacks appear as unsigned integers of the same size, 4-bit types as packed bytes.
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

/// Shapes as an array of their bytes: one shape, or a sequence of shapes.
py::array packDims(std::string const& name, py::object const& source) {
    std::vector<Dims> values;
    auto const add = [&](py::handle shape) {
        py::detail::make_caster<Dims> caster;
        if (!caster.load(shape, true)) {
            throw py::type_error(
                fmt::format("[plugin field] '{}': expected shapes for PluginFieldType.DIMS, got {}",
                            name, Py_TYPE(shape.ptr())->tp_name));
        }
        values.push_back(py::detail::cast_op<Dims const&>(caster));
    };
    if (py::isinstance<Dims>(source) || !isSequence(source)) {
        add(source);
    } else {
        py::list const items(source);
        if (!items.empty() && PyIndex_Check(items[0].ptr()) != 0 && !isSequence(items[0])) {
            add(source); // a single shape
        } else {
            for (py::handle const item : items) {
                add(item);
            }
        }
    }
    return py::array_t<int8_t>(static_cast<py::ssize_t>(values.size() * sizeof(Dims)),
                               reinterpret_cast<int8_t const*>(values.data()));
}

/// Whether data holds the bytes of Dims, as in a plan, rather than shapes.
bool isBytes(py::handle source) {
    return PyObject_CheckBuffer(source.ptr()) != 0 && py::isinstance<Dims>(source) == false &&
           py::memoryview(py::reinterpret_borrow<py::object>(source))
                   .attr("itemsize")
                   .cast<py::ssize_t>() == 1;
}

} // namespace

FieldData toFieldData(std::string const& name, py::object const& source, PluginFieldType type) {
    FieldFormat const format = formatOf(type);
    py::array const array =
        type == PluginFieldType::kDIMS && !isBytes(source)
            ? packDims(name, source)
            : py::array(py::module_::import("kiln._field_data")
                            .attr("convert")(name, source, type, format.dtype, format.bits));
    int64_t const bits = static_cast<int64_t>(array.nbytes()) * 8;
    int64_t const count = bits / format.bits;
    if (count * format.bits != bits || count > std::numeric_limits<int32_t>::max()) {
        throw py::value_error(
            fmt::format("[plugin field] '{}': expected whole elements of {} bits and less than "
                        "2^31 of them, got {} bytes",
                        name, format.bits, array.nbytes()));
    }
    return {array, static_cast<int32_t>(count)};
}

py::array copyFieldData(void const* memory, PluginFieldType type, int32_t length) {
    FieldFormat const format = formatOf(type);
    std::size_t const bits =
        static_cast<std::size_t>(length) * static_cast<std::size_t>(format.bits);
    py::array_t<uint8_t> const copy(static_cast<py::ssize_t>((bits + 7U) / 8U),
                                    static_cast<uint8_t const*>(memory));
    return copy.attr("view")(format.dtype);
}

PluginFieldType fieldTypeOf(py::array const& array) {
    for (PluginFieldType const type :
         {PluginFieldType::kFLOAT16, PluginFieldType::kFLOAT32, PluginFieldType::kFLOAT64,
          PluginFieldType::kINT16, PluginFieldType::kINT32, PluginFieldType::kINT64}) {
        if (array.dtype().equal(py::dtype(formatOf(type).dtype))) {
            return type;
        }
    }
    return PluginFieldType::kUNKNOWN;
}

py::list unpackDims(py::array const& array, int32_t count) {
    auto const* values = static_cast<Dims const*>(array.data());
    py::list result;
    for (int32_t i = 0; i < count; ++i) {
        result.append(values[i]);
    }
    return result;
}

} // namespace kiln::python
