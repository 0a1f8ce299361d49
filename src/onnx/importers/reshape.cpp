// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Reshape. 0 copies an extent unless `allowzero`; -1 is computed from the other extents. A computed
// shape becomes an operand of the shuffle layer.
// Layer: shuffle. The shape may be computed or an input of the model, whose 0 and -1 mean what
// they do in a constant.

#include "onnx/data_extents.h"
#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

#include <kiln/known_values.h>

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ITensor;

namespace {

Dims targetDims(NodeContext& context) {
    auto const shape = context.integers(1, "shape", Dims::MAX_DIMS);
    bool const valid = std::all_of(shape.begin(), shape.end(), [](int64_t d) { return d >= -1; }) &&
                       std::count(shape.begin(), shape.end(), -1) <= 1;
    if (!valid) {
        context.fail(
            ErrorCode::kINVALID_NODE,
            text("shape: expected extents of 0 or more and one -1 at most, got ", shape, "."));
    }
    return toDims(shape, "shape");
}

// A constant keeps its elements; only the dimensions change.
Value reshapedConstant(NodeContext& context, Constant constant, Dims target, bool allowZero) {
    int64_t known = 1;
    int32_t open = -1;
    for (int32_t i = 0; i < target.nbDims; ++i) {
        if (target.d[i] == 0 && !allowZero && i < constant.dims.nbDims) {
            target.d[i] = constant.dims.d[i];
        }
        if (target.d[i] == -1) {
            open = i;
        } else {
            known = productOf(known, target.d[i], "shape");
        }
    }
    if (open >= 0 && known != 0) {
        target.d[open] = constant.weights.count / known;
        known = productOf(known, target.d[open], "shape");
    }
    if (known != constant.weights.count) {
        context.fail(ErrorCode::kINVALID_NODE, text("expected a shape of ", constant.weights.count,
                                                    " elements, got ", target, "."));
    }
    constant.dims = target;
    return Value(constant);
}

void importReshape(NodeContext& context) {
    bool const allowZero = context.attributes().flag("allowzero", false);
    Value& value = context.input(0);
    if (!context.input(1).isConstant) {
        auto& layer = context.named(context.network().addShuffle(context.tensor(0)));
        layer.setZeroIsPlaceholder(!allowZero);
        ITensor& shape = context.tensor(1);
        layer.setInput(1,
                       kiln::hasShapeValues(shape) ? shape : extentsOfData(context, shape, true));
        context.setOutput(layer);
        return;
    }
    Dims const target = targetDims(context);
    if (value.isConstant) {
        context.setOutput(0, reshapedConstant(context, value.constant, target, allowZero));
        return;
    }
    context.setOutput(0, Value(reshape(context, *value.tensor, target, !allowZero)));
}

} // namespace

void registerImporter_reshape(ImporterRegistry& registry) {
    registry.add("Reshape", importReshape);
}

} // namespace kiln::onnx
