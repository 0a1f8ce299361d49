// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// LRN: x / (bias + alpha / size * sum of squares) ^ beta over `size` channels. The layer takes the
// channels from dimension rank - 3, the operator from axis 1: other ranks are reshaped to 4.
// Layer: LRN. With rank 5 or more, one unknown extent.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ITensor;

namespace {

void importLRN(NodeContext& context) {
    ITensor& tensor = context.tensor(0);
    Dims const dims = context.dims(tensor);
    auto const normalized = [&](ITensor& planes) -> ITensor& {
        auto& attributes = context.attributes();
        auto* layer = context.network().addLRN(
            planes, attributes.integer("size", 0), attributes.real("alpha", 1e-4F),
            attributes.real("beta", 0.75F), attributes.real("bias", 1.0F));
        return *context.named(layer).getOutput(0);
    };
    if (dims.nbDims < 2) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                     text("expected an input [batch, channels, ...], got ", dims, "."));
    }
    if (dims.nbDims == 4) {
        context.setOutput(0, Value(normalized(tensor)));
    } else if (dims.nbDims < 4) {
        std::vector<int32_t> const added =
            dims.nbDims == 2 ? std::vector<int32_t>{2, 3} : std::vector<int32_t>{3};
        ITensor& planes = *insertAxes(context, Value(tensor), added, "planes").tensor;
        context.setOutput(0, removeAxes(context, Value(normalized(planes)), added, "restore"));
    } else {
        if (std::count(dims.d, dims.d + dims.nbDims, -1) > 1) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_DYNAMIC,
                         text("expected an input of rank 2 to 4 or at most one unknown extent, "
                              "got ",
                              dims, "."));
        }
        ITensor& planes = reshape(context, tensor, Dims{4, {0, 0, -1, 1}}, true, "planes");
        context.setOutput(0, Value(reshape(context, normalized(planes), dims, false, "restore")));
    }
}

} // namespace

void registerImporter_lrn(ImporterRegistry& registry) {
    registry.add("LRN", importLRN);
}

} // namespace kiln::onnx
