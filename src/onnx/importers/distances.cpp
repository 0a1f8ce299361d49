// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// CDist of com.microsoft: the distances between the rows of two matrices.
// Layer: matrix multiply and elementwise. Metrics euclidean and sqeuclidean.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

namespace {

// |a - b|^2 = |a|^2 + |b|^2 - 2 a b
void importCDist(NodeContext& context) {
    std::string const metric = context.attributes().string("metric", "sqeuclidean");
    if (metric != "euclidean" && metric != "sqeuclidean") {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_ATTR,
            text("attribute 'metric': expected euclidean or sqeuclidean, got '", metric, "'."));
    }
    Term const a = Term::input(context, 0);
    Term const b = Term::input(context, 1);
    Term const aSquares = (a * a).sum({1});
    Term const bSquares = (b * b).sum({1}).transposed({1, 0});
    Term const squares = (aSquares + bSquares - a.matmul(b, false, true) * 2.0).max(0.0);
    context.setOutput(0, (metric == "euclidean" ? squares.sqrt() : squares).value());
}

} // namespace

void registerImporter_distances(ImporterRegistry& registry) {
    registry.add("com.microsoft", "CDist", importCDist);
}

} // namespace kiln::onnx
