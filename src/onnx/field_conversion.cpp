// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/field_conversion.h"

#include "kiln/api/dims.h"
#include "onnx/attributes.h"
#include "onnx/checked_numbers.h"
#include "onnx/half.h"
#include "onnx/import_error.h"
#include "onnx/text.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::PluginFieldType;

std::string_view nameOf(PluginFieldType type) {
    // The names in Python; C++ puts a k in front.
    static constexpr std::array<std::string_view, 14> kNames{
        "FLOAT16", "FLOAT32", "FLOAT64", "INT8",  "INT16", "INT32", "CHAR",
        "DIMS",    "UNKNOWN", "BF16",    "INT64", "FP8",   "INT4",  "FP4"};
    auto const index = static_cast<size_t>(type);
    return index < kNames.size() ? kNames[index] : "unknown";
}

namespace {

[[noreturn]] void refuse(AttributeProto const& attribute, PluginFieldType type) {
    throw ImportError(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                      text("attribute '", attribute.name,
                           "': the plugin creator expects field type ", nameOf(type), ", got ",
                           nameOf(attribute.type), "."));
}

template <typename Value>
[[noreturn]] void doesNotFit(AttributeProto const& attribute, PluginFieldType type, Value value) {
    throw ImportError(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                      text("attribute '", attribute.name, "': expected a value that field type ",
                           nameOf(type), " can hold, got ", value, "."));
}

template <typename Element>
FieldData packed(PluginFieldType type, std::vector<Element> const& elements,
                 std::string_view attributeName) {
    FieldData data{{}, type, checkedLength(static_cast<int64_t>(elements.size()), attributeName)};
    size_t const size = elements.size() * sizeof(Element);
    data.bytes.resize(size + 1); // one more: it terminates strings, and data() is never null
    if (size > 0) {
        std::memcpy(data.bytes.data(), elements.data(), size);
    }
    return data;
}

template <typename Target>
FieldData integersAs(AttributeProto const& attribute, PluginFieldType type,
                     std::vector<int64_t> const& values) {
    std::vector<Target> elements;
    for (int64_t const value : values) {
        auto const element = static_cast<Target>(value);
        // A floating-point target must convert back to the same integer; 2^63 does not.
        bool const inRange = std::numeric_limits<Target>::is_integer ||
                             std::abs(static_cast<double>(element)) < 0x1p63;
        if (!inRange || static_cast<int64_t>(element) != value) {
            doesNotFit(attribute, type, value);
        }
        elements.push_back(element);
    }
    return packed(type, elements, attribute.name);
}

FieldData dimsField(AttributeProto const& attribute, std::vector<int64_t> const& values) {
    Dims const dims = toDims(values, text("attribute '", attribute.name, "'"));
    return packed(PluginFieldType::kDIMS, std::vector<Dims>{dims}, attribute.name);
}

FieldData convertIntegers(AttributeProto const& attribute, PluginFieldType type,
                          std::vector<int64_t> const& values) {
    switch (type) {
    case PluginFieldType::kUNKNOWN:
    case PluginFieldType::kINT64: return packed(PluginFieldType::kINT64, values, attribute.name);
    case PluginFieldType::kINT32: return integersAs<int32_t>(attribute, type, values);
    case PluginFieldType::kINT16: return integersAs<int16_t>(attribute, type, values);
    case PluginFieldType::kINT8: return integersAs<int8_t>(attribute, type, values);
    case PluginFieldType::kFLOAT32: return integersAs<float>(attribute, type, values);
    case PluginFieldType::kFLOAT64: return integersAs<double>(attribute, type, values);
    case PluginFieldType::kDIMS: return dimsField(attribute, values);
    default: refuse(attribute, type);
    }
}

// A finite value must stay finite; rounding is accepted.
FieldData narrowFloats(AttributeProto const& attribute, PluginFieldType type,
                       std::vector<float> const& values) {
    bool const half = type == PluginFieldType::kFLOAT16;
    std::vector<uint16_t> elements;
    for (float const value : values) {
        uint16_t const bits = half ? floatToHalf(value) : floatToBfloat16(value);
        float const back = half ? halfToFloat(bits) : bfloat16ToFloat(bits);
        if (std::isfinite(value) && !std::isfinite(back)) {
            doesNotFit(attribute, type, value);
        }
        elements.push_back(bits);
    }
    return packed(type, elements, attribute.name);
}

FieldData convertFloats(AttributeProto const& attribute, PluginFieldType type,
                        std::vector<float> const& values) {
    switch (type) {
    case PluginFieldType::kUNKNOWN:
    case PluginFieldType::kFLOAT32:
        return packed(PluginFieldType::kFLOAT32, values, attribute.name);
    case PluginFieldType::kFLOAT64:
        return packed(type, std::vector<double>(values.begin(), values.end()), attribute.name);
    case PluginFieldType::kFLOAT16:
    case PluginFieldType::kBF16: return narrowFloats(attribute, type, values);
    default: refuse(attribute, type);
    }
}

FieldData convertString(AttributeProto const& attribute, PluginFieldType type) {
    if (type != PluginFieldType::kUNKNOWN && type != PluginFieldType::kCHAR) {
        refuse(attribute, type);
    }
    std::vector<char> const text(attribute.stringValue.begin(), attribute.stringValue.end());
    return packed(PluginFieldType::kCHAR, text, attribute.name);
}

} // namespace

FieldData convertAttribute(AttributeProto const& attribute, PluginFieldType type) {
    switch (attribute.type) {
    case AttributeType::kInt: return convertIntegers(attribute, type, {attribute.intValue});
    case AttributeType::kInts: return convertIntegers(attribute, type, attribute.ints);
    case AttributeType::kFloat: return convertFloats(attribute, type, {attribute.floatValue});
    case AttributeType::kFloats: return convertFloats(attribute, type, attribute.floats);
    case AttributeType::kString: return convertString(attribute, type);
    default:
        throw ImportError(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                          text("attribute '", attribute.name, "': a plugin field cannot hold ",
                               nameOf(attribute.type),
                               ". Use INT, INTS, FLOAT, FLOATS, STRING or TENSOR."));
    }
}

PluginFieldType fieldTypeOf(DataType type, std::string_view attributeName) {
    switch (type) {
    case DataType::kFLOAT: return PluginFieldType::kFLOAT32;
    case DataType::kHALF: return PluginFieldType::kFLOAT16;
    case DataType::kBF16: return PluginFieldType::kBF16;
    case DataType::kINT8: return PluginFieldType::kINT8;
    case DataType::kINT32: return PluginFieldType::kINT32;
    case DataType::kINT64: return PluginFieldType::kINT64;
    case DataType::kFP8: return PluginFieldType::kFP8;
    case DataType::kINT4: return PluginFieldType::kINT4;
    case DataType::kFP4: return PluginFieldType::kFP4;
    default:
        throw ImportError(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                          text("attribute '", attributeName,
                               "': a plugin field cannot hold a tensor of ", type, "."));
    }
}

int32_t checkedLength(int64_t count, std::string_view attributeName) {
    if (count > std::numeric_limits<int32_t>::max()) {
        throw ImportError(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                          text("attribute '", attributeName,
                               "': expected fewer than 2^31 elements, got ", count, "."));
    }
    return static_cast<int32_t>(count);
}

} // namespace kiln::onnx
