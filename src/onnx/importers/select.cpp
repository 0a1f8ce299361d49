// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Where. Ranks are made equal with leading extents of 1.
// Layer: select. Ranks are made equal by leading extents of 1.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

#include <algorithm>

namespace kiln::onnx {

namespace {

void importWhere(NodeContext& context) {
    int32_t rank = 0;
    for (size_t i = 0; i < 3; ++i) {
        rank = std::max(rank, context.dims(context.input(i)).nbDims);
    }
    context.setOutput(context.named(context.network().addSelect(
        withRank(context, 0, rank), withRank(context, 1, rank), withRank(context, 2, rank))));
}

} // namespace

void registerImporter_select(ImporterRegistry& registry) {
    registry.add("Where", importWhere);
}

} // namespace kiln::onnx
