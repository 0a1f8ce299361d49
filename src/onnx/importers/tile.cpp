// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Tile: a slice of more extents than the input has, which wraps around.
// Layer: slice. Repeats may be computed.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/term.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;

namespace {

void importTile(NodeContext& context) {
    nvinfer1::ITensor& tensor = context.tensor(0);
    Dims const dims = context.dims(tensor);
    if (!context.isKnown(1)) {
        Term const x(context, tensor);
        Term const zeros =
            Term::vector(context, std::vector<int64_t>(static_cast<size_t>(dims.nbDims), 0));
        Term const counts = Term::input(context, 1).cast(nvinfer1::DataType::kINT64);
        context.setOutput(0, x.sliced(axesBetween(0, dims.nbDims), zeros, x.shape() * counts,
                                      nvinfer1::SampleMode::kWRAP)
                                 .value());
        return;
    }
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
