// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Split: one slice for each output. Sizes are an attribute up to opset 12, input 1 from opset 13,
// or equal parts of the extent, of which the last may be smaller (opset 18). Sizes and extents may
// be computed.
// Layer: slice.

#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/term.h"

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
    if (parts != count) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute 'num_outputs': expected ", count, ", got ", parts, "."));
    }
    int64_t const size = extent / parts + (extent % parts > 0 ? 1 : 0);
    for (int64_t left = extent; static_cast<int64_t>(sizes.size()) < parts; left -= sizes.back()) {
        sizes.push_back(std::min(left, size)); // the last parts are smaller, or empty
    }
    return sizes;
}

// Parts of sizes that are known only at run time: `sizes` has them all, or is one size for each
// part but the last ones.
void addComputed(NodeContext& context, int32_t axis) {
    Term const x = Term::input(context, 0);
    auto const count = static_cast<int64_t>(context.node().outputs.size());
    bool const given = context.opset() >= 13 && context.hasInput(1);
    Term const extent = x.extent(axis);
    Term const equal =
        (extent + static_cast<double>(count - 1)).floorDiv(static_cast<double>(count));
    Term start = Term::vector(context, {0});
    for (int64_t i = 0; i < count; ++i) {
        Term const size =
            given ? Term::input(context, 1).cast(nvinfer1::DataType::kINT64).sliced(0, i, 1)
                  : equal.min(extent - start);
        Term const part = x.sliced({axis}, start, size);
        context.setOutput(static_cast<size_t>(i), part.value());
        start = start + size;
    }
}

void importSplit(NodeContext& context) {
    Dims const dims = context.dims(context.input(0));
    int32_t const axis = toAxis(context.attributes().integer("axis", 0), dims.nbDims);
    bool const given =
        context.opset() >= 13 ? context.hasInput(1) : context.attributes().has("split");
    bool const known = given ? context.opset() < 13 || context.isKnown(1) : dims.d[axis] >= 0;
    if (!known) {
        context.attributes().integer("num_outputs", 0);
        addComputed(context, axis);
        return;
    }
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
