// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Transpose; without `perm` the axes are reversed.
// Layer: shuffle.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

#include <algorithm>

namespace kiln::onnx {

namespace {

void importTranspose(NodeContext& context) {
    nvinfer1::ITensor& tensor = context.tensor(0);
    int32_t const rank = context.dims(tensor).nbDims;
    std::vector<int64_t> reversed(static_cast<size_t>(rank));
    for (int32_t i = 0; i < rank; ++i) {
        reversed[static_cast<size_t>(i)] = rank - 1 - i;
    }
    auto const perm = context.attributes().integers("perm", reversed);
    if (!std::is_permutation(perm.begin(), perm.end(), reversed.begin(), reversed.end())) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("perm: expected 0 .. ", rank - 1, " in some order, got ", perm, "."));
    }
    nvinfer1::Permutation order{};
    std::copy(perm.begin(), perm.end(), order.order);
    auto& layer = context.named(context.network().addShuffle(tensor));
    layer.setFirstTranspose(order);
    context.setOutput(layer);
}

} // namespace

void registerImporter_transpose(ImporterRegistry& registry) {
    registry.add("Transpose", importTranspose);
}

} // namespace kiln::onnx
