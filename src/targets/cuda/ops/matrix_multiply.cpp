// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// matrix multiply: by cuBLASLt (see blaslt/), or by kernels/matrix_multiply.cuh.
#include "graph/ops/matrix_multiply.h"

#include "target/workload/matrix_product.h"
#include "targets/cuda/blaslt/product_kernel.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

struct MatrixBatch {
    int32_t rank;
    int64_t extent[Dims::MAX_DIMS];
    int64_t left[Dims::MAX_DIMS];
    int64_t right[Dims::MAX_DIMS];
};

struct MatrixMultiplyArguments {
    int64_t count;
    int64_t rows;
    int64_t columns;
    int64_t inner;
    target::MatrixWorkload::Strides left;
    target::MatrixWorkload::Strides right;
    MatrixBatch batch;
};

struct MatrixMultiplyReference {
    using Op = graph::MatrixMultiply;
    using Arguments = MatrixMultiplyArguments;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        constexpr double kLaunch = 3e-6;
        return kLaunch + target::matrixOperations(op, node) / 5e12;
    }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("matrix_multiply",
                        {{"KILN_ELEMENT", kernelTypeName(node.inputs[0].type.type)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        target::MatrixWorkload const p =
            target::matrixWorkload(op, workload.inputs[0], workload.inputs[1], workload.outputs[0]);
        arguments.count = p.batch.count();
        arguments.rows = p.rows;
        arguments.columns = p.columns;
        arguments.inner = p.inner;
        arguments.left = p.left;
        arguments.right = p.right;
        arguments.batch.rank = p.batch.rank();
        for (int32_t loop = 0; loop < p.batch.rank(); ++loop) {
            arguments.batch.extent[loop] = p.batch.extent(loop);
            arguments.batch.left[loop] = p.batch.stride(loop, 0);
            arguments.batch.right[loop] = p.batch.stride(loop, 1);
        }
        constexpr int64_t kTile = 64;
        int64_t const down = p.rows / kTile + (p.rows % kTile != 0 ? 1 : 0);
        int64_t const across = p.columns / kTile + (p.columns % kTile != 0 ? 1 : 0);
        return {launchBlocks("multiply", arguments.count * down * across, 1)};
    }
};

} // namespace

void registerKernel_matrix_multiply(KernelRegistry& registry) {
    registry.add(matrixMultiplyCublasLt());
    registry.add(matrixMultiplyCublasLtTf32());
    registry.add(matrixMultiplyCublasLtBare());
    registry.add(entryOf<MatrixMultiplyReference>("matrix_multiply_reference"));
}

} // namespace kiln::targets::cuda
