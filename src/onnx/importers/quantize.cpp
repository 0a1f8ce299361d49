// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// QuantizeLinear and DequantizeLinear: one scale, one for each index along an axis, or one for each
// block along it. A zero point that is 0 everywhere is left out: products of integers want none.
// Types that networks lack take elementwise layers.
// Layer: quantize, dequantize, or elementwise for types that networks lack.

#include "onnx/checked_numbers.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/narrow_float.h"
#include "onnx/whole_numbers.h"

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

// The type of the model for the quantized numbers.
ElementType quantizedType(NodeContext& context) {
    int64_t const number = context.attributes().integer("output_dtype", 0);
    return context.hasInput(2) ? context.elementType(2)
           : number != 0 ? static_cast<ElementType>(toInt32(number, "attribute 'output_dtype'"))
                         : ElementType::kUint8;
}

// Scales or zero points, one for each element of the data or broadcast to it.
Term spread(NodeContext& context, Term x, Term numbers) {
    int32_t const rank = x.rank();
    int64_t const block = context.attributes().integer("block_size", 0);
    bool const isOne = numbers.rank() == 0 || (numbers.rank() == 1 && numbers.dims().d[0] == 1);
    if (isOne) {
        return numbers.withRank(rank);
    }
    int32_t const axis = toAxis(context.attributes().integer("axis", 1), rank);
    if (block == 0) {
        Axes others = axesBetween(0, rank);
        others.erase(others.begin() + axis);
        return numbers.rank() == 1 ? numbers.inserted(others) : numbers;
    }
    std::vector<Term> shape;
    for (int32_t i = 0; i < rank; ++i) {
        shape.push_back(numbers.extent(i));
    }
    Term const blocks = Term::vector(context, {block});
    auto repeated = shape;
    repeated.insert(repeated.begin() + axis + 1, blocks);
    auto whole = shape;
    whole[static_cast<size_t>(axis)] = shape[static_cast<size_t>(axis)] * blocks;
    return numbers.inserted({axis + 1})
        .expanded(Term::joined(repeated, 0))
        .reshaped(Term::joined(whole, 0))
        .sliced({axis}, Term::vector(context, {0}), x.extent(axis));
}

// x / scale + zero point, in the range of the type, by elementwise layers.
void quantizeByParts(NodeContext& context, ElementType to, bool saturates) {
    Term const x = Term::input(context, 0).cast(DataType::kFLOAT);
    Term const scale = spread(context, x, Term::input(context, 1).cast(DataType::kFLOAT));
    Term ratio = x / scale;
    auto const form = wholeFormOf(to);
    std::optional<Term> zero;
    if (context.hasInput(2)) {
        zero = spread(context, x, Term::input(context, 2).cast(DataType::kFLOAT));
    }
    if (form) {
        Term const rounded = zero ? ratio.round() + *zero : ratio.round();
        ratio = rounded.clamp(form->lowest(), form->largest()).cast(DataType::kINT32);
    } else {
        ratio = zero ? ratio + *zero : ratio;
        Overflow const overflow = saturates ? Overflow::kSaturate : Overflow::kSpecial;
        ratio = isNarrowFloat(to) ? roundedTo(ratio, to, overflow) : withoutOverflow(ratio);
    }
    DataType const type = requireDataType(to, "type of the zero point");
    auto& layer = context.named(context.network().addCast(ratio.tensor(), type));
    context.setOutput(0, Value(*layer.getOutput(0)), to);
}

void importQuantizeLinear(NodeContext& context) {
    bool const saturates = context.attributes().flag("saturate", true);
    context.attributes().integer("precision", 0); // divisions are in FLOAT
    ElementType const to = quantizedType(context);
    if (isReplaced(to) || (!saturates && to == ElementType::kFloat8E4M3FN)) {
        quantizeByParts(context, to, saturates);
        return;
    }
    ITensor& data = context.tensor(0);
    DataType const type = context.hasInput(2) ? NodeContext::typeOf(context.input(2))
                                              : outputType(context, DataType::kUINT8);
    auto& layer = context.named(context.network().addQuantize(data, context.tensor(1), type));
    setScale(context, layer, data);
    context.setOutput(layer);
}

// (x - zero point) * scale, by elementwise layers.
void dequantizeByParts(NodeContext& context) {
    Term const scale = Term::input(context, 1);
    DataType const type = outputType(context, scale.type());
    Term x = Term::input(context, 0).cast(DataType::kFLOAT);
    if (context.hasInput(2)) {
        x = x - spread(context, x, Term::input(context, 2).cast(DataType::kFLOAT));
    }
    x = x * spread(context, x, scale.cast(DataType::kFLOAT));
    context.setOutput(context.named(context.network().addCast(x.tensor(), type)));
}

void importDequantizeLinear(NodeContext& context) {
    ElementType const from = context.elementType(0);
    DataType const given = NodeContext::typeOf(context.input(0));
    if (isNarrowFloat(from) || (isReplaced(from) && given == DataType::kINT32)) {
        dequantizeByParts(context);
        return;
    }
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
    // What writers used for 16 bits before the standard had them.
    registry.add("com.microsoft", "QuantizeLinear", importQuantizeLinear);
    registry.add("com.microsoft", "DequantizeLinear", importDequantizeLinear);
}

} // namespace kiln::onnx
