// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// LpNormalization: x / (sum of |x|^p)^(1/p) along an axis, for p = 1 and 2. Zeros stay zeros.
// Layer: elementwise, reduce and unary.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

void importLpNormalization(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const x = Term::input(context, 0);
    int32_t const axis = toAxis(attributes.integer("axis", -1), x.rank());
    int64_t const p = attributes.integer("p", 2);
    if (p != 1 && p != 2) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'p': expected 1 or 2, got ", p, "."));
    }
    Term const norm = p == 1 ? x.abs().sum({axis}) : (x * x).sum({axis}).sqrt();
    context.setOutput(0, (x / (norm == 0.0).choose(norm.like(1), norm)).value());
}

} // namespace

void registerImporter_lp_normalization(ImporterRegistry& registry) {
    registry.add("LpNormalization", importLpNormalization);
}

} // namespace kiln::onnx
