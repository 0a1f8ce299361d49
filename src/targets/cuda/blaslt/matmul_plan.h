// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/dtype.h"
#include "targets/cuda/blaslt/cublaslt.h"
#include "targets/cuda/blaslt/matrix_product.h"

namespace kiln::targets::cuda {

/// cuBLASLt's descriptors for one product, and the algorithms that its heuristic chose. The process
/// caches the choices.
class MatmulPlan {
public:
    /// Throws kUnsupported if cuBLASLt has no algorithm for the product.
    MatmulPlan(MatrixProduct const& product, DataType type, std::size_t workspaceBytes);

    /// Number of heuristic results in the process's cache: the maximum, and the current number.
    static constexpr std::size_t kMostChosen = 4096;
    static std::size_t chosen();

    /// Enqueues the product on the stream.
    cublasStatus_t run(void const* a, void const* b, void* c, void* workspace,
                       CUstream stream) const noexcept;

private:
    void describe(MatrixProduct const& product);
    cublasLtMatmulAlgo_t choose(MatrixProduct const& product, uint32_t alignment) const;
    cublasLtMatmulAlgo_t ask(uint32_t alignment) const;

    CublasLt const& library_;
    cublasLtHandle_t handle_; ///< for the GPU that was current when the plan was made
    DataType type_;
    std::size_t workspaceBytes_;
    template <typename Handle>
    using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cublasStatus_t (*)(Handle)>;

    Owned<cublasLtMatmulDesc_t> description_;
    std::vector<Owned<cublasLtMatrixLayout_t>> layouts_; ///< for a, b, c
    cublasLtMatmulAlgo_t aligned_{};                     ///< for pointers aligned to 16 bytes
    cublasLtMatmulAlgo_t anywhere_{};
};

} // namespace kiln::targets::cuda
