// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Split: one slice for each output. Sizes are constants (an attribute up to opset 12, input 1 from
// opset 13), or equal parts of a known extent, of which the last may be smaller (opset 18).
// Layer: slice. Sizes of parts are constants.

#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"

#include <algorithm>
#include <numeric>

namespace kiln::onnx {

using nvinfer1::Dims;

namespace {

std::vector<int64_t> sizesOf(NodeContext& context, int64_t extent) {
    auto const count = static_cast<int64_t>(context.node().outputs.size());
    std::vector<int64_t> sizes = context.attributes().integers("split", {});
    if (context.opset() >= 13 && context.hasInput(1)) {
        sizes = context.integers(1, "split", count);
    }
    int64_t const parts = context.attributes().integer("num_outputs", count);
    if (!sizes.empty()) {
        bool const valid = std::all_of(sizes.begin(), sizes.end(),
                                       [](int64_t size) { return size >= 0 && size <= kFarthest; });
        int64_t const total = valid ? std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) : -1;
        if (!valid || static_cast<int64_t>(sizes.size()) != count ||
            (extent >= 0 && total != extent)) {
            context.fail(ErrorCode::kINVALID_NODE,
                         text("split: expected ", count, " sizes with the sum ", extent, ", got ",
                              sizes, "."));
        }
        return sizes;
    }
    if (extent < 0 || parts != count) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_DYNAMIC,
                     text("expected sizes, or a known extent for ", count, " equal parts, got ",
                          extent, " and ", parts, " parts."));
    }
    int64_t const size = extent / parts + (extent % parts > 0 ? 1 : 0);
    for (int64_t left = extent; static_cast<int64_t>(sizes.size()) < parts; left -= sizes.back()) {
        sizes.push_back(std::min(left, size)); // the last parts are smaller, or empty
    }
    return sizes;
}

void importSplit(NodeContext& context) {
    Dims const dims = context.dims(context.input(0));
    int32_t const axis = toAxis(context.attributes().integer("axis", 0), dims.nbDims);
    std::vector<int64_t> const sizes = sizesOf(context, dims.d[axis]);
    int64_t start = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
        auto* slice = context.network().addSlice(context.tensor(0), Dims{1, {start}},
                                                 Dims{1, {sizes[i]}}, Dims{1, {1}});
        auto& layer = context.named(slice, text("part", i));
        layer.setAxes(Dims{1, {axis}});
        context.setOutput(i, Value(*layer.getOutput(0)));
        start += sizes[i];
    }
}

} // namespace

void registerImporter_split(ImporterRegistry& registry) {
    registry.add("Split", importSplit);
}

} // namespace kiln::onnx
