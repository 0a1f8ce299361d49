// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Trilu: the upper or lower triangle of matrices, zeros elsewhere. Element [row, column] of the
// upper triangle has column - row >= k. A fill layer computes column - row.
// Layer: fill, elementwise and select.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

void importTrilu(NodeContext& context) {
    Term const x = Term::input(context, 0);
    int32_t const rank = x.rank();
    if (rank < 2) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input 0: expected 2 dimensions or more, got ", rank, "."));
    }
    bool const upper = context.attributes().flag("upper", true);
    auto* fill = context.network().addFill(repeatedDims(2, 0, "matrix"),
                                           nvinfer1::FillOperation::kLINSPACE, DataType::kINT64);
    Term const difference = x.of(fill);
    fill->setInput(0, x.extents({rank - 2, rank - 1}).tensor());
    fill->setInput(1, Term::number(context, 0, DataType::kINT64).tensor());
    fill->setInput(2, Term::vector(context, {-1, 1}).tensor());
    Term bound = Term::number(context, upper ? -1 : 1, DataType::kINT64);
    if (context.hasInput(1)) {
        if (context.isKnown(1)) { // far bounds would overflow
            auto const given = context.integers(1, "k", 1);
            int64_t const k =
                given.empty() ? 0 : std::clamp<int64_t>(given[0], -kFarthest, kFarthest);
            bound =
                Term::number(context, static_cast<double>(upper ? k - 1 : k + 1), DataType::kINT64);
        } else {
            Term const k = Term::input(context, 1).cast(DataType::kINT64);
            bound = bound + (k.rank() == 1 ? k.reshaped(std::vector<int64_t>{}) : k);
        }
    }
    Term const inside = upper ? difference > bound : difference < bound;
    auto* select = context.network().addSelect(inside.withRank(rank).tensor(), x.tensor(),
                                               x.like(0).withRank(rank).tensor());
    context.setOutput(context.named(select));
}

} // namespace

void registerImporter_trilu(ImporterRegistry& registry) {
    registry.add("Trilu", importTrilu);
}

} // namespace kiln::onnx
