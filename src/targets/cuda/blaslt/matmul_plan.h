// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "targets/cuda/blaslt/cublaslt.h"
#include "targets/cuda/blaslt/matrix_product.h"

namespace kiln::targets::cuda {

/// What happens to the elements of a product before they are stored:
/// function(factor * product + addend + bias).
struct MatmulEpilogue {
    enum class Function : uint8_t { kNone, kRelu, kGeluTanh };
    bool bias = false;   ///< one element for each row of the result as BLAS sees it
    bool addend = false; ///< a matrix like the result
    Function function = Function::kNone;

    bool operator==(MatmulEpilogue const&) const = default;
};

/// cuBLASLt's descriptors for one product, and the algorithms that its heuristic chose. The process
/// caches the choices.
class MatmulPlan {
public:
    /// Throws kUnsupported if cuBLASLt has no algorithm for the product.
    MatmulPlan(MatrixProduct const& product, DataType type, std::size_t workspaceBytes,
               MatmulEpilogue epilogue = {});

    /// Number of heuristic results in the process's cache: the maximum, and the current number.
    static constexpr std::size_t kMostChosen = 4096;
    static std::size_t chosen();

    /// The operands of a run; bias and addend as the epilogue says.
    struct Pointers {
        void const* a = nullptr;
        void const* b = nullptr;
        void const* bias = nullptr;
        void const* addend = nullptr;
        void* c = nullptr;
        void* workspace = nullptr;
        float factor = 1.0F;
    };

    /// Enqueues the product on the stream.
    cublasStatus_t run(Pointers const& pointers, CUstream stream) noexcept;

    /// Complete text of product, type, epilogue and workspace: what an algorithm was chosen for.
    std::string const& text() const noexcept { return text_; }
    /// Algorithms for aligned operands, best first by the heuristic.
    std::vector<cublasLtMatmulAlgo_t> algorithms() const;
    /// Uses this algorithm for aligned operands. Returns false, and changes nothing, if cuBLASLt
    /// does not take it for the product and the workspace.
    bool use(cublasLtMatmulAlgo_t const& algorithm);

private:
    void describe(MatrixProduct const& product);
    void describeEpilogue();
    cublasLtMatmulAlgo_t choose(uint32_t alignment) const;
    std::vector<cublasLtMatmulAlgo_t> ask(uint32_t alignment, int wanted) const;

    CublasLt const& library_;
    cublasLtHandle_t handle_; ///< for the GPU that was current when the plan was made
    DataType type_;
    std::size_t workspaceBytes_;
    MatmulEpilogue epilogue_;
    std::string text_;
    void const* boundBias_ = nullptr;
    bool onlyAligned_ = false; ///< there is no algorithm for operands that are not aligned
    template <typename Handle>
    using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cublasStatus_t (*)(Handle)>;

    Owned<cublasLtMatmulDesc_t> description_;
    std::vector<Owned<cublasLtMatrixLayout_t>> layouts_; ///< for a, b, c
    cublasLtMatmulAlgo_t aligned_{};                     ///< for pointers aligned to 16 bytes
    cublasLtMatmulAlgo_t anywhere_{};
};

} // namespace kiln::targets::cuda
