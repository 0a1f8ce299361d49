// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/counted_mask.h"

#include "onnx/term.h"

#include <kiln/known_values.h>

#include <algorithm>
#include <vector>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

bool mayCount(Value const& value) {
    if (value.tensor == nullptr) {
        return false;
    }
    DataType const type = value.tensor->getType();
    return type == DataType::kINT64 || type == DataType::kINT32 || type == DataType::kBOOL;
}

bool hasOneElement(Dims const& dims) {
    return std::all_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent == 1; });
}

} // namespace

void noteMask(NodeContext& context) {
    std::string const& kind = context.node().opType;
    bool const casts = kind == "Cast";
    bool const sums = kind == "ReduceSum";
    bool const moves = kind == "Reshape" || kind == "Squeeze" || kind == "Unsqueeze";
    bool const concerns = casts || sums || moves;
    if (!concerns || !context.hasInput(0) || context.outputs().empty()) {
        return;
    }
    Value const& from = context.anyInput(0);
    Value to = context.outputs()[0];
    if (from.isConstant || from.tensor == nullptr || to.isConstant || !mayCount(to)) {
        return;
    }
    bool const isMask = from.tensor->getType() == DataType::kBOOL;
    if (isMask && (casts || moves)) {
        to.mask = from.mask != nullptr ? from.mask : from.tensor;
    } else if (from.mask != nullptr && (moves || casts || from.countsMask)) {
        to.mask = from.mask;
        to.countsMask = from.countsMask;
    } else if (sums && from.mask != nullptr && hasOneElement(context.dims(to))) {
        to.mask = from.mask;
        to.countsMask = true;
    }
    context.setOutput(0, to);
}

nvinfer1::ITensor& countOfMask(NodeContext& context, nvinfer1::ITensor& mask) {
    auto* const layer = context.network().addNonZero(mask, DataType::kINT64);
    Term const indices(context, *context.named(layer, context.nextName()).getOutput(0));
    return indices.shape().sliced(0, 1, 1).tensor();
}

void useCountsOfMasks(NodeContext& context) {
    std::vector<size_t> counts;
    for (size_t i = 0; i < context.nbInputs(); ++i) {
        Value const& value = context.input(i);
        bool const isExtent = value.isConstant || kiln::hasShapeValues(*value.tensor);
        if (!isExtent && !value.countsMask) {
            return; // data
        }
        if (!isExtent && context.dims(value).nbDims == 1 &&
            value.tensor->getType() == DataType::kINT64) {
            counts.push_back(i);
        }
    }
    for (size_t const i : counts) {
        context.setInput(i, Value(countOfMask(context, *context.input(i).mask)));
    }
}

} // namespace kiln::onnx
