// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Tile: a slice of more extents than the input has, which wraps around. Repeats are constants.
// Layer: slice. Repeats are constants.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;

namespace {

void importTile(NodeContext& context) {
    nvinfer1::ITensor& tensor = context.tensor(0);
    Dims const dims = context.dims(tensor);
    auto const repeats = context.integers(1, "repeats", Dims::MAX_DIMS);
    bool const valid = std::all_of(repeats.begin(), repeats.end(),
                                   [](int64_t count) { return count >= 0 && count <= kFarthest; });
    if (repeats.size() != static_cast<size_t>(dims.nbDims) || !valid) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input 1 (repeats): expected ", dims.nbDims,
                          " numbers of 0 or more, one for each axis, got ", repeats, "."));
    }
    bool const known =
        std::all_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent >= 0; });
    Dims size = repeatedDims(dims.nbDims, 0, "output");
    for (int32_t i = 0; known && i < dims.nbDims; ++i) {
        size.d[i] = productOf(dims.d[i], repeats[static_cast<size_t>(i)], "extents");
    }
    auto& layer =
        context.named(context.network().addSlice(tensor, repeatedDims(dims.nbDims, 0, "starts"),
                                                 size, repeatedDims(dims.nbDims, 1, "steps")));
    layer.setMode(nvinfer1::SampleMode::kWRAP);
    if (!known) {
        ShapeMath math(context);
        layer.setInput(2, math.combine(math.extents(tensor), nvinfer1::ElementWiseOperation::kPROD,
                                       math.vector(repeats)));
    }
    context.setOutput(layer);
}

} // namespace

void registerImporter_tile(ImporterRegistry& registry) {
    registry.add("Tile", importTile);
}

} // namespace kiln::onnx
