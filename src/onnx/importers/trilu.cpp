// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Trilu: the upper or lower triangle of matrices, zeros elsewhere. Element [row, column] of the
// upper triangle has column > row + k - 1. Fill layers count rows and columns; as float32, where
// that is exact, the comparison and the choice are one pass over the data.
// Layer: fill, elementwise and select.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

// Rows and columns up to here are counted as float32.
constexpr int64_t kMostCounted = int64_t{1} << 23;

// k - 1 or k + 1, where comparisons are strict; INT64 without extents. Far bounds would overflow.
Term boundOf(NodeContext& context, int64_t step) {
    int64_t known = 0;
    if (context.hasInput(1)) {
        if (!context.isKnown(1)) {
            Term const k = Term::input(context, 1).cast(DataType::kINT64);
            return (k.rank() == 1 ? k.reshaped(std::vector<int64_t>{}) : k) +
                   k.like(static_cast<double>(step));
        }
        auto const given = context.integers(1, "k", 1);
        known = given.empty() ? 0 : std::clamp<int64_t>(given[0], -kFarthest, kFarthest);
    }
    return Term::number(context, static_cast<double>(known + step), DataType::kINT64);
}

void importTrilu(NodeContext& context) {
    Term const x = Term::input(context, 0);
    int32_t const rank = x.rank();
    if (rank < 2) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input 0: expected 2 dimensions or more, got ", rank, "."));
    }
    bool const upper = context.attributes().flag("upper", true);
    auto const isCounted = [&](int32_t axis) {
        int64_t const extent = x.dims().d[axis];
        return extent >= 0 && extent <= kMostCounted;
    };
    DataType const type =
        isCounted(rank - 2) && isCounted(rank - 1) ? DataType::kFLOAT : DataType::kINT64;
    Term const rows = Term::range(x.extent(rank - 2)) + boundOf(context, upper ? -1 : 1);
    Term const row = rows.inserted({1}).cast(type);
    Term const column = Term::range(x.extent(rank - 1)).cast(type);
    Term const inside = upper ? column > row : column < row;
    auto* select = context.network().addSelect(inside.withRank(rank).tensor(), x.tensor(),
                                               x.like(0).withRank(rank).tensor());
    context.setOutput(context.named(select));
}

} // namespace

void registerImporter_trilu(ImporterRegistry& registry) {
    registry.add("Trilu", importTrilu);
    registry.add("com.microsoft", "Trilu", importTrilu);
}

} // namespace kiln::onnx
