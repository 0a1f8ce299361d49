// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// NhwcConv of com.microsoft: channels last, also in the weights [maps, height, width, channels].
// Layer: convolution.

#include "onnx/importer_registry.h"
#include "onnx/term.h"
#include "onnx/window_attributes.h"

namespace kiln::onnx {

using nvinfer1::Dims;

namespace {

void importNhwcConv(NodeContext& context) {
    Term const x = Term::input(context, 0);
    Term const given = Term::input(context, 1);
    if (x.rank() != 4 || given.rank() != 4) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                     text("expected an input and weights of rank 4, got ", x.dims(), " and ",
                          given.dims(), "."));
    }
    int64_t const groups = context.attributes().integer("group", 1);
    // Some writers keep the order [maps, channels, height, width].
    Dims const own = given.dims();
    int64_t const channels = x.dims().d[3];
    auto const kernel = context.attributes().integers("kernel_shape", {own.d[1], own.d[2]});
    bool const first = kernel.size() == 2 && own.d[2] == kernel[0] && own.d[3] == kernel[1] &&
                       own.d[1] * groups == channels &&
                       (own.d[1] != kernel[0] || own.d[3] * groups != channels);
    Term const weights = first ? given : given.transposed({0, 3, 1, 2});
    Dims const dims = weights.dims();
    Dims const extents = toDims({dims.d + 2, 2}, "input 1 (weights)");
    Windows const windows = readWindows(context, 2, &extents);
    Term const data = x.transposed({0, 3, 1, 2});
    auto* layer = context.network().addConvolutionNd(
        data.tensor(), dims.d[0], extents, {x.type(), nullptr, 0}, {x.type(), nullptr, 0});
    Term const result = data.of(layer);
    applyWindows(*layer, windows);
    layer->setDilationNd(windows.dilations);
    layer->setNbGroups(groups);
    layer->setInput(1, weights.tensor());
    if (context.hasInput(2)) {
        layer->setInput(2, Term::input(context, 2).tensor());
    }
    context.setOutput(0, result.transposed({0, 2, 3, 1}).value());
}

} // namespace

void registerImporter_ms_convolution(ImporterRegistry& registry) {
    registry.add("com.microsoft", "NhwcConv", importNhwcConv);
}

} // namespace kiln::onnx
