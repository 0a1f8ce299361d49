// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Pad: a slice that starts before the input and ends behind it. Pads are constants (an attribute up
// to opset 10, input 1 from opset 11); negative ones cut.

#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"

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

// Extents of the output along the padded axes: constants where the input's are known.
void setSize(NodeContext& context, nvinfer1::ISliceLayer& layer, std::vector<int32_t> const& axes,
             std::vector<int64_t> const& added) {
    Dims const dims = context.dims(context.input(0));
    Dims size{static_cast<int32_t>(axes.size()), {}};
    bool known = true;
    for (size_t i = 0; i < axes.size(); ++i) {
        known = known && dims.d[axes[i]] >= 0;
        size.d[i] = std::max<int64_t>(0, dims.d[axes[i]] + added[i]);
    }
    if (known) {
        layer.setSize(size);
        return;
    }
    ShapeMath math(context);
    layer.setInput(2, math.combine(math.extents(context.tensor(0), axes),
                                   ElementWiseOperation::kSUM, math.vector(added)));
}

void importPad(NodeContext& context) {
    int32_t const rank = context.dims(context.input(0)).nbDims;
    bool const fromInputs = context.opset() >= 11;
    auto const pads = fromInputs ? integersOf(context.constant(1, "pads"), "pads")
                                 : context.attributes().integers("pads", {});
    std::vector<int32_t> axes(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
    if (context.hasInput(3)) {
        axes.clear();
        for (int64_t const axis : integersOf(context.constant(3, "axes"), "axes")) {
            axes.push_back(normalizeAxis(context, axis, rank));
        }
    }
    bool const near = std::all_of(pads.begin(), pads.end(), [](int64_t pad) {
        return pad >= -kFarthest && pad <= kFarthest;
    });
    if (pads.size() != 2 * axes.size() || !near) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("pads: expected ", 2 * axes.size(), " numbers, got ", pads, "."));
    }
    auto const count = static_cast<int32_t>(axes.size());
    Dims start{count, {}};
    Dims stride{count, {}};
    Dims sliced{count, {}};
    std::vector<int64_t> added;
    for (size_t i = 0; i < axes.size(); ++i) {
        start.d[i] = -pads[i];
        stride.d[i] = 1;
        sliced.d[i] = axes[i];
        added.push_back(pads[i] + pads[i + axes.size()]);
    }
    SampleMode const mode = modeOf(context);
    auto& layer =
        context.named(context.network().addSlice(context.tensor(0), start, stride, stride));
    layer.setAxes(sliced);
    layer.setMode(mode);
    setSize(context, layer, axes, added);
    if (mode == SampleMode::kFILL && fromInputs && context.hasInput(2)) {
        layer.setInput(4, context.tensor(2));
    } else if (mode == SampleMode::kFILL && !fromInputs) {
        float const value = context.attributes().real("value", 0.0F);
        if (value != 0.0F) {
            layer.setInput(
                4, context.scalar(value, NodeContext::typeOf(context.input(0)), 0, "value"));
        }
    }
    context.setOutput(layer);
}

} // namespace

void registerImporter_padding(ImporterRegistry& registry) {
    registry.add("Pad", importPad);
}

} // namespace kiln::onnx
