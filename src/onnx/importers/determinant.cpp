// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Det: determinants of the matrices in the last two axes.
// Layer: determinant, a layer of Kiln's own.

#include "onnx/importer_registry.h"

#include <kiln/extra_layers.h>

namespace kiln::onnx {

namespace {

void importDet(NodeContext& context) {
    context.setOutput(context.named(addDeterminant(context.network(), context.tensor(0))));
}

} // namespace

void registerImporter_determinant(ImporterRegistry& registry) {
    registry.add("Det", importDet);
}

} // namespace kiln::onnx
