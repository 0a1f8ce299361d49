// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// QuantizeLinear and DequantizeLinear: one scale, one for each index along an axis, or one for each
// block along it. A zero point that is 0 everywhere is left out: products of integers want none.
// Layer: quantize, dequantize. INT8, UINT8, FLOAT8E4M3FN, INT4 and FLOAT4E2M1, with saturation.

#include "onnx/checked_numbers.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::ITensor;

namespace {

bool isZero(Value const& value) {
    auto const* const bytes = static_cast<char const*>(value.constant.weights.values);
    int64_t const count = value.constant.weights.count;
    // Elements of 4 bits take fewer bytes than there are elements; types are at most 4 bytes.
    DataType const type = value.constant.weights.type;
    int64_t const perByte = type == DataType::kINT4 || type == DataType::kFP4 ? 2 : 1;
    int64_t const width = type == DataType::kINT32 ? 4 : 1;
    int64_t const size = (count + perByte - 1) / perByte * width;
    return value.isConstant &&
           std::all_of(bytes, bytes + size, [](char byte) { return byte == 0; });
}

// Sets the axis or the blocks, and the zero point.
template <typename Layer>
void setScale(NodeContext& context, Layer& layer, ITensor const& data) {
    int64_t const axisGiven = context.attributes().integer("axis", 1);
    int64_t const block = context.attributes().integer("block_size", 0);
    Dims const scale = context.dims(context.input(1));
    int32_t const rank = context.dims(data).nbDims;
    bool const along = scale.nbDims == 1 && scale.d[0] != 1;
    if (block > 0) {
        Dims blocks{rank, {}};
        std::fill_n(blocks.d, rank, 1);
        blocks.d[toAxis(axisGiven, rank)] = block;
        layer.setBlockShape(blocks);
    } else if (along) {
        layer.setAxis(toAxis(axisGiven, rank));
    }
    if (context.hasInput(2) && !isZero(context.input(2))) {
        layer.setInput(2, context.tensor(2));
    }
}

DataType outputType(NodeContext& context, DataType otherwise) {
    int64_t const number = context.attributes().integer("output_dtype", 0);
    return number == 0 ? otherwise
                       : requireDataType(
                             static_cast<ElementType>(toInt32(number, "attribute 'output_dtype'")),
                             "attribute 'output_dtype'");
}

void importQuantizeLinear(NodeContext& context) {
    ITensor& data = context.tensor(0);
    if (!context.attributes().flag("saturate", true)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "attribute 'saturate': expected true, got false.");
    }
    context.attributes().integer("precision", 0); // divisions are in FLOAT
    DataType const type = context.hasInput(2) ? NodeContext::typeOf(context.input(2))
                                              : outputType(context, DataType::kUINT8);
    auto& layer = context.named(context.network().addQuantize(data, context.tensor(1), type));
    setScale(context, layer, data);
    context.setOutput(layer);
}

void importDequantizeLinear(NodeContext& context) {
    ITensor& data = context.tensor(0);
    ITensor& scale = context.tensor(1);
    DataType const type = outputType(context, scale.getType());
    auto& layer = context.named(context.network().addDequantize(data, scale, type));
    setScale(context, layer, data);
    context.setOutput(layer);
}

} // namespace

void registerImporter_quantize(ImporterRegistry& registry) {
    registry.add("QuantizeLinear", importQuantizeLinear);
    registry.add("DequantizeLinear", importDequantizeLinear);
}

} // namespace kiln::onnx
