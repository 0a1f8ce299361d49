// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
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

/// Element types of a product. int8 gives int32, with whole sums; all others are summed in float32.
struct MatmulTypes {
    DataType operands;
    DataType result;
    bool tf32 = false; ///< operands of float32 are rounded to TF32

    MatmulTypes(DataType both) : operands(both), result(both) {} // NOLINT(google-explicit-*)
    MatmulTypes(DataType from, DataType to) : operands(from), result(to) {}

    bool areWhole() const noexcept { return operands == DataType::kINT8; }
};

/// An algorithm that was timed for the product with this hash.
struct StoredAlgorithm {
    uint64_t product = 0; ///< MatmulPlan::product()
    cublasLtMatmulAlgo_t algorithm{};
};

/// cuBLASLt's descriptors for one product, and the algorithms for it: the stored one, if it is for
/// this product, else one that the library's heuristic chose. The process caches its choices.
class MatmulPlan {
public:
    /// Throws kUnsupported if cuBLASLt has no algorithm for the product.
    MatmulPlan(MatrixProduct const& product, MatmulTypes types, std::size_t workspaceBytes,
               MatmulEpilogue epilogue = {}, StoredAlgorithm const* stored = nullptr);

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
        float factor = 1.0F; ///< of sums in float32
    };

    /// Enqueues the product on the stream.
    cublasStatus_t run(Pointers const& pointers, CUstream stream) noexcept;

    /// Hash of product, type, epilogue and workspace: what an algorithm was chosen for.
    uint64_t product() const noexcept;
    /// Algorithms for aligned operands, best first by the heuristic.
    std::vector<cublasLtMatmulAlgo_t> algorithms() const;
    /// Uses this algorithm for aligned operands. Returns false, and changes nothing, if cuBLASLt
    /// does not take it for the product and the workspace.
    bool use(cublasLtMatmulAlgo_t const& algorithm);
    /// The workspace of the algorithm that use() took last.
    std::size_t neededWorkspace() const noexcept { return neededWorkspace_; }

    MatmulTypes const& types() const noexcept { return types_; }
    MatmulEpilogue const& epilogue() const noexcept { return epilogue_; }

private:
    void describe(MatrixProduct const& product);
    void describeEpilogue();
    cublasLtMatmulAlgo_t choose(uint32_t alignment) const;
    cublasLtMatmulAlgo_t const* forAnyAddress() noexcept;
    std::vector<cublasLtMatmulAlgo_t> ask(uint32_t alignment, int wanted) const;

    CublasLt const& library_;
    cublasLtHandle_t handle_; ///< for the GPU that was current when the plan was made
    MatmulTypes types_;
    std::size_t workspaceBytes_;
    std::size_t neededWorkspace_ = 0;
    MatmulEpilogue epilogue_;
    std::string text_; ///< all that product() is a hash of
    void const* boundBias_ = nullptr;
    template <typename Handle>
    using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cublasStatus_t (*)(Handle)>;

    Owned<cublasLtMatmulDesc_t> description_;
    std::vector<Owned<cublasLtMatrixLayout_t>> layouts_; ///< for a, b, c
    cublasLtMatmulAlgo_t aligned_{};                     ///< for pointers aligned to 16 bytes
    std::optional<cublasLtMatmulAlgo_t> anywhere_;       ///< chosen when it is needed first
};

} // namespace kiln::targets::cuda
