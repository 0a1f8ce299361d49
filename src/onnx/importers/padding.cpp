// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Pad: a slice that starts before the input and ends behind it. Pads are an attribute up to opset
// 10, input 1 from opset 11, which may be computed; negative pads crop.
// Layer: slice. Axes are known.

#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/term.h"

#include <algorithm>
#include <numeric>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ElementWiseOperation;
using nvinfer1::SampleMode;

namespace {

SampleMode modeOf(NodeContext& context) {
    std::string const mode = context.attributes().string("mode", "constant");
    constexpr std::pair<std::string_view, SampleMode> kModes[] = {
        {"constant", SampleMode::kFILL},
        {"edge", SampleMode::kCLAMP},
        {"reflect", SampleMode::kREFLECT},
        {"wrap", SampleMode::kWRAP},
    };
    for (auto const& [name, sample] : kModes) {
        if (mode == name) {
            return sample;
        }
    }
    context.fail(
        ErrorCode::kUNSUPPORTED_NODE_ATTR,
        text("attribute 'mode': expected constant, edge, reflect or wrap, got '", mode, "'."));
}

struct Pads {
    std::vector<int32_t> axes;
    std::vector<int64_t> starts; // of the slice: the negated pads before the data
    std::vector<int64_t> added;  // to the extents
};

Pads padsOf(NodeContext& context, int32_t rank) {
    bool const fromInputs = context.opset() >= 11;
    auto const numbers = fromInputs ? context.integers(1, "pads", 2 * Dims::MAX_DIMS)
                                    : context.attributes().integers("pads", {});
    Pads pads;
    if (context.hasInput(3)) {
        pads.axes = toAxes(context.integers(3, "axes", Dims::MAX_DIMS), rank);
    } else {
        pads.axes.resize(static_cast<size_t>(rank));
        std::iota(pads.axes.begin(), pads.axes.end(), 0);
    }
    size_t const count = pads.axes.size();
    bool const near = std::all_of(numbers.begin(), numbers.end(), [](int64_t pad) {
        return pad >= -kFarthest && pad <= kFarthest;
    });
    if (numbers.size() != 2 * count || !near) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("pads: expected ", 2 * count, " numbers, got ", numbers, "."));
    }
    for (size_t i = 0; i < count; ++i) {
        pads.starts.push_back(-numbers[i]);
        pads.added.push_back(numbers[i] + numbers[i + count]);
    }
    return pads;
}

// Extents of the output along the padded axes: constants if the input's extents are known.
void setSize(NodeContext& context, nvinfer1::ISliceLayer& layer, Pads const& pads) {
    Dims const dims = context.dims(context.input(0));
    std::vector<int64_t> size;
    bool known = true;
    for (size_t i = 0; i < pads.axes.size(); ++i) {
        int64_t const extent = dims.d[pads.axes[i]];
        known = known && extent >= 0;
        size.push_back(std::max<int64_t>(0, sumOf(extent, pads.added[i], "pads")));
    }
    if (known) {
        layer.setSize(toDims(size, "pads"));
        return;
    }
    ShapeMath math(context);
    layer.setInput(2, math.combine(math.extents(context.tensor(0), pads.axes),
                                   ElementWiseOperation::kSUM, math.vector(pads.added)));
}

void setFillValue(NodeContext& context, nvinfer1::ISliceLayer& layer) {
    if (context.opset() < 11) {
        float const value = context.attributes().real("value", 0.0F);
        if (value != 0.0F) {
            auto const type = NodeContext::typeOf(context.input(0));
            layer.setInput(4, context.scalar(value, type, 0, "value"));
        }
    } else if (context.hasInput(2)) {
        layer.setInput(4, context.tensor(2));
    }
}

// The same for pads that are known only at run time.
void importComputed(NodeContext& context) {
    Term const x = Term::input(context, 0);
    Axes const axes = context.hasInput(3)
                          ? toAxes(context.integers(3, "axes", Dims::MAX_DIMS), x.rank())
                          : axesBetween(0, x.rank());
    auto const count = static_cast<int64_t>(axes.size());
    Term const pads = Term::input(context, 1).cast(nvinfer1::DataType::kINT64);
    Term const before = pads.sliced(0, 0, count);
    Term const size = x.extents(axes) + before + pads.sliced(0, count, count);
    SampleMode const mode = modeOf(context);
    Dims const ones = repeatedDims(count, 1, "axes");
    auto& layer = context.named(context.network().addSlice(x.tensor(), ones, ones, ones));
    layer.setAxes(toDims(std::vector<int64_t>(axes.begin(), axes.end()), "axes"));
    layer.setMode(mode);
    layer.setInput(1, (-before).tensor());
    layer.setInput(2, size.max(0.0).tensor());
    if (mode == SampleMode::kFILL) {
        setFillValue(context, layer);
    }
    context.setOutput(layer);
}

void importPad(NodeContext& context) {
    if (context.opset() >= 11 && !context.isKnown(1)) {
        importComputed(context);
        return;
    }
    Pads const pads = padsOf(context, context.dims(context.input(0)).nbDims);
    SampleMode const mode = modeOf(context);
    Dims const ones = repeatedDims(static_cast<int64_t>(pads.axes.size()), 1, "axes");
    auto& layer = context.named(
        context.network().addSlice(context.tensor(0), toDims(pads.starts, "pads"), ones, ones));
    layer.setAxes(toDims(std::vector<int64_t>(pads.axes.begin(), pads.axes.end()), "axes"));
    layer.setMode(mode);
    setSize(context, layer, pads);
    if (mode == SampleMode::kFILL) {
        setFillValue(context, layer);
    }
    context.setOutput(layer);
}

} // namespace

void registerImporter_padding(ImporterRegistry& registry) {
    registry.add("Pad", importPad);
}

} // namespace kiln::onnx
