// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// CausalConvWithState: a depthwise convolution over the steps so far.
//   input: [batch, channels, length], weight: [channels, 1, k], bias: [channels],
//   state: [batch, channels, k - 1]
// Layer: concatenation and convolution.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

void importCausalConv(NodeContext& context) {
    std::string const activation = context.attributes().string("activation", "none");
    Term const x = Term::input(context, 0);
    Term const weight = Term::input(context, 1);
    Dims const dims = weight.dims();
    if (dims.nbDims != 3 || dims.d[0] < 1 || dims.d[2] < 1) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("input 1 (weight): expected [channels, 1, k], got ", dims, "."));
    }
    int64_t const kernel = dims.d[2];
    Term const zero = Term::vector(context, {0});
    Term const before = Term::vector(context, {1 - kernel});
    Term const longer = context.hasInput(3)
                            ? Term::joined({Term::input(context, 3), x}, 2)
                            : x.sliced({2}, before, x.extent(2) + static_cast<double>(kernel - 1),
                                       nvinfer1::SampleMode::kFILL);
    auto* layer =
        context.network().addConvolutionNd(longer.tensor(), dims.d[0], Dims{1, {kernel}},
                                           {x.type(), nullptr, 0}, {x.type(), nullptr, 0});
    Term result = x.of(layer);
    layer->setNbGroups(dims.d[0]);
    layer->setInput(1, weight.tensor());
    if (context.hasInput(2)) {
        result = result + Term::input(context, 2).inserted({1});
    }
    bool const gates = activation == "silu" || activation == "swish";
    context.setOutput(0, (gates ? result * result.sigmoid() : result).value());
    Term const rest = Term::vector(context, {kernel - 1});
    context.setOutput(1, longer.sliced({2}, longer.extent(2) - rest, rest).value());
    static_cast<void>(zero);
}

// com.microsoft: more forms, of which one is that of the standard.
void importMsCausalConv(NodeContext& context) {
    auto& attributes = context.attributes();
    bool const plain =
        attributes.integer("ndim", 1) == 1 && attributes.integer("dilation", 1) == 1 &&
        attributes.integer("channels_last", 0) == 0 && attributes.integer("state_window", 0) == 0;
    if (!plain) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "expected ndim 1, dilation 1, channels_last 0 and state_window 0.");
    }
    importCausalConv(context);
}

} // namespace

void registerImporter_causal_convolution(ImporterRegistry& registry) {
    registry.add("CausalConvWithState", importCausalConv);
    registry.add("com.microsoft", "CausalConvWithState", importMsCausalConv);
}

} // namespace kiln::onnx
