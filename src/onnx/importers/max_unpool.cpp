// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// MaxUnpool: writes each element at its index in a tensor of zeros.
// Layer: scatter and slice.

#include "onnx/importer_registry.h"
#include "onnx/term.h"
#include "onnx/window_attributes.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

void importMaxUnpool(NodeContext& context) {
    Term const x = Term::input(context, 0);
    int32_t const spatialRank = spatialRankOf(context);
    Windows const windows = readWindows(context, spatialRank, nullptr);
    std::vector<int64_t> strides;
    std::vector<int64_t> added;
    for (int32_t i = 0; i < spatialRank; ++i) {
        strides.push_back(windows.strides.d[i]);
        added.push_back(windows.extents.d[i] - windows.before.d[i] - windows.after.d[i]);
    }
    Axes const spatial = axesBetween(2, x.rank());
    Term const extents =
        (x.extents(spatial) - 1) * Term::vector(context, strides) + Term::vector(context, added);
    Term const shape = Term::joined({x.extents({0, 1}), extents}, 0);
    Term const zeros = x.like(0).expanded(shape.product({0}));
    std::vector<int64_t> const flat{-1};
    auto* layer = context.network().addScatter(
        zeros.tensor(), Term::input(context, 1).reshaped(flat).tensor(), x.reshaped(flat).tensor(),
        nvinfer1::ScatterMode::kELEMENT);
    Term result = x.of(layer).reshaped(shape);
    if (context.hasInput(2)) { // a larger output has the elements at its beginning
        Term const wanted = Term::input(context, 2).cast(DataType::kINT64);
        Axes const all = axesBetween(0, x.rank());
        Term const starts = Term::vector(context, std::vector<int64_t>(all.size(), 0));
        result = result.sliced(all, starts, wanted, nvinfer1::SampleMode::kFILL);
    }
    context.setOutput(0, result.value());
}

} // namespace

void registerImporter_max_unpool(ImporterRegistry& registry) {
    registry.add("MaxUnpool", importMaxUnpool);
}

} // namespace kiln::onnx
