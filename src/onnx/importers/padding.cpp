// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Pad: a slice that starts before the input and ends behind it. Pads are an attribute up to opset
// 10, input 1 from opset 11; they and axes may be computed. Negative pads crop.
// Layer: slice.

#include "onnx/computed_axes.h"
#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"

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

// The same for pads or axes that are known only at run time. With computed axes, all axes are
// padded, those that are not given by 0.
void importComputed(NodeContext& context) {
    Term const x = Term::input(context, 0);
    Term const pads = vectorInput(context, 1);
    bool const known = !context.hasInput(3) || context.isKnown(3);
    Axes const axes = known && context.hasInput(3)
                          ? toAxes(context.integers(3, "axes", Dims::MAX_DIMS), x.rank())
                          : axesBetween(0, x.rank());
    int64_t const given = pads.dims().d[0] / 2;
    Term before = pads.sliced(0, 0, given);
    Term after = pads.sliced(0, given, given);
    if (!known) {
        ComputedAxes const computed(context, 3, x.rank());
        before = computed.spread(before, 0);
        after = computed.spread(after, 0);
    }
    Term const size = x.extents(axes) + before + after;
    SampleMode const mode = modeOf(context);
    auto const count = static_cast<int64_t>(axes.size());
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
    bool const hasAxes = context.hasInput(3);
    if (context.opset() >= 11 && (!context.isKnown(1) || (hasAxes && !context.isKnown(3)))) {
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
    registry.add("com.microsoft", "Pad", importPad);
}

} // namespace kiln::onnx
