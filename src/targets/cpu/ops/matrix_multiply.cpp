// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// matrix_multiply: [batch..., m, k] x [batch..., k, n] -> [batch..., m, n], the layer may make each
// operand transposed or a vector; batch axes of extent 1 are repeated. float32, float16 and
// bfloat16, summed in float32. Threads share the tiles (blocked) or the rows (reference) of all
// results.
#include "graph/ops/matrix_multiply.h"

#include "target/workload/matrix_product.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/few_rows.h"
#include "targets/cpu/onednn/onednn.h"
#include "targets/cpu/tile.h"

namespace kiln::targets::cpu {
namespace {

using target::matrixOperations;
using target::MatrixWorkload;
using target::matrixWorkload;

struct MatrixMultiplyBlocked {
    using Op = graph::MatrixMultiply;
    using State = MatrixWorkload;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        MatrixWorkload const p =
            matrixWorkload(op, node.inputs[0].opt, node.inputs[1].opt, node.outputs[0].opt);
        return tileSeconds(static_cast<double>(p.batch.count()), static_cast<double>(p.rows),
                           static_cast<double>(p.columns), static_cast<double>(p.inner));
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = matrixWorkload(op, workload.inputs[0], workload.inputs[1], workload.outputs[0]);
        return dispatchFloat(
            workload.type(), "matrix multiply",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    template <typename T>
    static void run(State const& p, KernelCall const& call) {
        auto const* left = static_cast<T const*>(call.inputs[0]);
        auto const* right = static_cast<T const*>(call.inputs[1]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const across = tilesOf(p.columns, kTileColumns);
        int64_t const down = tilesOf(p.rows, kTileRows);
        parallelFor(p.batch.count() * down * across, grainFor(kTileRows * p.inner * 4),
                    [&](int64_t begin, int64_t end) {
                        Tile tile;
                        for (int64_t task = begin; task < end; ++task) {
                            int64_t const batch = task / across / down;
                            int64_t const row = task / across % down * kTileRows;
                            int64_t const column = task % across * kTileColumns;
                            auto const [a, b] = p.batch.atElement(batch);
                            compute(p, left + a + row * p.left.kept,
                                    right + b + column * p.right.kept,
                                    to + (batch * p.rows + row) * p.columns + column,
                                    std::min(kTileRows, p.rows - row),
                                    std::min(kTileColumns, p.columns - column), tile);
                        }
                    });
    }

    /// One tile of one result; the pointers are at its first row and column.
    template <typename T>
    static void compute(State const& p, T const* left, T const* right, T* to, int64_t rows,
                        int64_t columns, Tile& tile) {
        std::fill_n(tile.c, rows * kTileColumns, 0.0F);
        for (int64_t k = 0; k < p.inner; k += kTileDepth) {
            int64_t const depth = std::min(kTileDepth, p.inner - k);
            float const* a = tile.a;
            float const* b = tile.b;
            int64_t lda = kTileDepth;
            int64_t ldb = kTileColumns;
            bool packsLeft = true;
            bool packsRight = true;
            if constexpr (std::is_same_v<T, float>) { // may be read in place
                if (p.left.summed == 1) {
                    packsLeft = false;
                    a = left + k;
                    lda = p.left.kept;
                }
                if (p.right.kept == 1 && columns == kTileColumns) {
                    packsRight = false;
                    b = right + k * p.right.summed;
                    ldb = p.right.summed;
                }
            }
            if (packsLeft) {
                packRows(left + k * p.left.summed, p.left.kept, p.left.summed, rows, depth, tile.a,
                         kTileDepth);
            }
            if (packsRight) {
                packColumns(p, right + k * p.right.summed, columns, depth, tile.b);
            }
            isa().tileProduct(rows, columns, depth, a, lda, b, ldb, tile.c);
        }
        for (int64_t row = 0; row < rows; ++row) {
            fromFloats(tile.c + row * kTileColumns, to + row * p.columns, columns);
        }
    }

    /// Fills b[depth][columns], with zeros in the padding columns.
    template <typename T>
    static void packColumns(State const& p, T const* from, int64_t columns, int64_t depth,
                            float* b) {
        int64_t const padded = paddedColumns(columns);
        if (p.right.kept == 1 || columns == 1) {
            packRows(from, p.right.summed, p.right.kept, depth, columns, b, kTileColumns);
        } else { // a transposed operand: read along its rows
            for (int64_t column = 0; column < columns; ++column) {
                for (int64_t k = 0; k < depth; ++k) {
                    b[k * kTileColumns + column] =
                        load(from[column * p.right.kept + k * p.right.summed]);
                }
            }
        }
        for (int64_t k = 0; k < depth && columns < padded; ++k) {
            std::fill_n(b + k * kTileColumns + columns, padded - columns, 0.0F);
        }
    }
};

struct MatrixMultiplyReference {
    using Op = graph::MatrixMultiply;
    using State = MatrixWorkload;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        // Measured: one multiplication and one addition at a time.
        return matrixOperations(op, node) / 1e9;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = matrixWorkload(op, workload.inputs[0], workload.inputs[1], workload.outputs[0]);
        return dispatchFloat(
            workload.type(), "matrix multiply",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    template <typename T>
    static void run(State const& p, KernelCall const& call) {
        auto const* left = static_cast<T const*>(call.inputs[0]);
        auto const* right = static_cast<T const*>(call.inputs[1]);
        auto* to = static_cast<T*>(call.outputs[0]);
        parallelFor(p.batch.count() * p.rows, grainFor(p.columns * p.inner),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t row = begin; row < end; ++row) {
                            auto const [a, b] = p.batch.atElement(row / p.rows);
                            T const* x = left + a + row % p.rows * p.left.kept;
                            for (int64_t column = 0; column < p.columns; ++column) {
                                T const* y = right + b + column * p.right.kept;
                                float sum = 0.0F;
                                for (int64_t k = 0; k < p.inner; ++k) {
                                    sum += load(x[k * p.left.summed]) * load(y[k * p.right.summed]);
                                }
                                to[row * p.columns + column] = store<T>(sum);
                            }
                        }
                    });
    }
};

} // namespace

void registerKernel_matrix_multiply(KernelRegistry& registry) {
    addFewRows(registry, graph::MatrixMultiply::kKind);
    onednn::addKernel(registry, graph::MatrixMultiply::kKind, "matrix_multiply_onednn");
    registry.add(entryOf<MatrixMultiplyBlocked>("matrix_multiply_blocked"));
    registry.add(entryOf<MatrixMultiplyReference>("matrix_multiply_reference"));
}

} // namespace kiln::targets::cpu
