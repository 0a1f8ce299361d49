// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Constant: a tensor, or one of the short forms of opset 12.
// Layer: constant.

#include "onnx/importer_registry.h"

#include <cstring>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

template <typename Element>
Value copied(NodeContext& context, DataType type, std::vector<Element> const& elements,
             int32_t rank) {
    size_t const size = elements.size() * sizeof(Element);
    std::byte* bytes = context.tensors().store.allocate(size);
    if (size > 0) {
        std::memcpy(bytes, elements.data(), size);
    }
    auto const count = static_cast<int64_t>(elements.size());
    return Value(Constant{Dims{rank, {count}}, {type, bytes, count}});
}

Value valueOf(NodeContext& context) {
    Attributes& attributes = context.attributes();
    if (auto const* value = attributes.find("value")) {
        return readValue(value->tensorValue(), context.tensors());
    }
    if (auto const* value = attributes.find("sparse_value");
        value != nullptr && value->sparseValue != nullptr) {
        return readSparse(*value->sparseValue, context.tensors());
    }
    if (attributes.has("value_float")) {
        float const value = attributes.real("value_float", 0.0F);
        return copied<float>(context, DataType::kFLOAT, {value}, 0);
    }
    if (attributes.has("value_int")) {
        int64_t const value = attributes.integer("value_int", 0);
        return copied<int64_t>(context, DataType::kINT64, {value}, 0);
    }
    if (attributes.has("value_ints")) {
        return copied(context, DataType::kINT64, attributes.integers("value_ints", {}), 1);
    }
    if (auto const* floats = attributes.find("value_floats")) {
        return copied(context, DataType::kFLOAT, floats->floats, 1);
    }
    context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                 "expected one of the attributes value, value_float, value_floats, value_int and "
                 "value_ints. Strings are not supported.");
}

void importConstant(NodeContext& context) {
    context.setOutput(0, valueOf(context));
}

} // namespace

void registerImporter_constant(ImporterRegistry& registry) {
    registry.add("Constant", importConstant);
}

} // namespace kiln::onnx
