// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Flatten: [d0, ..., d(n-1)] -> [d0 * ... * d(axis-1), d(axis) * ... * d(n-1)].
// Layer: shuffle.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

namespace kiln::onnx {

using nvinfer1::Dims;

namespace {

// Product of the extents first .. last - 1; -1 if one of them is unknown.
int64_t product(Dims const& dims, int32_t first, int32_t last) {
    int64_t result = 1;
    for (int32_t i = first; i < last; ++i) {
        if (dims.d[i] < 0) {
            return -1;
        }
        result = productOf(result, dims.d[i], "extents");
    }
    return result;
}

void importFlatten(NodeContext& context) {
    nvinfer1::ITensor& tensor = context.tensor(0);
    Dims const dims = context.dims(tensor);
    int64_t const given = context.attributes().integer("axis", 1);
    // Unlike elsewhere, the rank itself is a valid axis.
    auto const axis = given == dims.nbDims ? dims.nbDims : toAxis(given, dims.nbDims);
    Dims target{2, {product(dims, 0, axis), product(dims, axis, dims.nbDims)}};
    bool zeroIsPlaceholder = false;
    if (target.d[0] < 0 && target.d[1] <= 0) {
        if (axis != 1) {
            context.fail(
                ErrorCode::kUNSUPPORTED_NODE_DYNAMIC,
                text("expected known extents on one side of axis ", axis, ", got ", dims, "."));
        }
        target = Dims{2, {0, target.d[1] < 0 ? -1 : target.d[1]}};
        zeroIsPlaceholder = target.d[1] != 0;
    }
    context.setOutput(0, Value(reshape(context, tensor, target, zeroIsPlaceholder)));
}

} // namespace

void registerImporter_flatten(ImporterRegistry& registry) {
    registry.add("Flatten", importFlatten);
}

} // namespace kiln::onnx
