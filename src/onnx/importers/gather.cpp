// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Gather, GatherElements and GatherND.
// Layer: gather. An index outside of its axis gives zeros.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

namespace kiln::onnx {

using nvinfer1::GatherMode;

namespace {

template <GatherMode kMode>
void importGather(NodeContext& context) {
    int32_t const rank = context.dims(context.input(0)).nbDims;
    auto& layer =
        context.named(context.network().addGatherV2(context.tensor(0), context.tensor(1), kMode));
    if (kMode == GatherMode::kND) {
        layer.setNbElementWiseDims(
            toInt32(context.attributes().integer("batch_dims", 0), "attribute 'batch_dims'"));
    } else {
        layer.setGatherAxis(toAxis(context.attributes().integer("axis", 0), rank));
    }
    context.setOutput(layer);
}

} // namespace

void registerImporter_gather(ImporterRegistry& registry) {
    registry.add("Gather", importGather<GatherMode::kDEFAULT>);
    registry.add("GatherElements", importGather<GatherMode::kELEMENT>);
    registry.add("GatherND", importGather<GatherMode::kND>);
    registry.add("com.microsoft", "GatherND", importGather<GatherMode::kND>);
    registry.add("com.microsoft", "TorchEmbedding", importGather<GatherMode::kDEFAULT>);
}

} // namespace kiln::onnx
