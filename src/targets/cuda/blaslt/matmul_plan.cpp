// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/matmul_plan.h"

#include <optional>

#include <fmt/core.h>

#include "base/lru_cache.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {
namespace {

constexpr uint32_t kAlignment = 16;

cudaDataType_t dataTypeOf(DataType type) {
    switch (type) {
    case DataType::kHALF: return CUDA_R_16F;
    case DataType::kBF16: return CUDA_R_16BF;
    default: return CUDA_R_32F;
    }
}

std::string textOf(BlasMatrix const& matrix) {
    return fmt::format("{}x{}:{}{}+{}", matrix.rows, matrix.columns, matrix.leading,
                       matrix.transposed ? "t" : "n", matrix.batchStride);
}

/// The heuristic results of this process, a few hundred bytes each. A context looks them up when
/// its shapes change; results that were not used for long are computed again.
LruCache<std::string, cublasLtMatmulAlgo_t>& chosenAlgorithms() {
    static auto* const chosen =
        new LruCache<std::string, cublasLtMatmulAlgo_t>(MatmulPlan::kMostChosen);
    return *chosen;
}

/// Restrictions on the heuristic's choice.
class Preference {
public:
    explicit Preference(CublasLt const& library) : library_(library) {
        library_.check(library_.matmulPreferenceCreate(&preference_), "make a preference");
    }
    ~Preference() { library_.matmulPreferenceDestroy(preference_); }
    Preference(Preference const&) = delete;
    Preference& operator=(Preference const&) = delete;

    template <typename T>
    void set(cublasLtMatmulPreferenceAttributes_t attribute, T value) {
        library_.check(
            library_.matmulPreferenceSetAttribute(preference_, attribute, &value, sizeof(value)),
            "set a preference");
    }
    cublasLtMatmulPreference_t get() const noexcept { return preference_; }

private:
    CublasLt const& library_;
    cublasLtMatmulPreference_t preference_ = nullptr;
};

} // namespace

MatmulPlan::MatmulPlan(MatrixProduct const& product, DataType type, std::size_t workspaceBytes)
    : library_(CublasLt::instance()), handle_(library_.handle()), type_(type),
      workspaceBytes_(workspaceBytes), description_(nullptr, library_.matmulDescDestroy) {
    describe(product);
    aligned_ = choose(product, kAlignment);
    anywhere_ = choose(product, static_cast<uint32_t>(bytesFor(type, 1)));
}

void MatmulPlan::describe(MatrixProduct const& product) {
    cublasLtMatmulDesc_t description = nullptr;
    library_.check(library_.matmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F),
                   "describe a product");
    description_.reset(description);
    auto const transpose = [&](cublasLtMatmulDescAttributes_t attribute, BlasMatrix const& matrix) {
        cublasOperation_t const operation = matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
        library_.check(
            library_.matmulDescSetAttribute(description, attribute, &operation, sizeof(operation)),
            "set a transposition");
    };
    transpose(CUBLASLT_MATMUL_DESC_TRANSA, product.a);
    transpose(CUBLASLT_MATMUL_DESC_TRANSB, product.b);
    auto const batch = static_cast<int32_t>(product.batch);
    for (BlasMatrix const& matrix : {product.a, product.b, product.c}) {
        cublasLtMatrixLayout_t layout = nullptr;
        library_.check(library_.matrixLayoutCreate(
                           &layout, dataTypeOf(type_), static_cast<uint64_t>(matrix.rows),
                           static_cast<uint64_t>(matrix.columns), matrix.leading),
                       "describe a matrix");
        layouts_.emplace_back(layout, library_.matrixLayoutDestroy);
        library_.check(library_.matrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                         &batch, sizeof(batch)),
                       "set a batch");
        library_.check(
            library_.matrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                              &matrix.batchStride, sizeof(matrix.batchStride)),
            "set the stride of a batch");
    }
}

cublasLtMatmulAlgo_t MatmulPlan::choose(MatrixProduct const& product, uint32_t alignment) const {
    std::string const key =
        fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", Gpu::current().handle, static_cast<int32_t>(type_),
                    textOf(product.a), textOf(product.b), textOf(product.c), product.batch,
                    workspaceBytes_, alignment);
    if (auto const known = chosenAlgorithms().find(key); known.has_value()) {
        return *known;
    }
    cublasLtMatmulAlgo_t const algorithm = ask(alignment);
    chosenAlgorithms().store(key, algorithm);
    return algorithm;
}

std::size_t MatmulPlan::chosen() {
    return chosenAlgorithms().size();
}

cublasLtMatmulAlgo_t MatmulPlan::ask(uint32_t alignment) const {
    Preference preference(library_);
    preference.set<uint64_t>(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspaceBytes_);
    preference.set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                   CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
    for (auto const attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
        preference.set(attribute, alignment);
    }
    cublasLtMatmulHeuristicResult_t result{};
    int found = 0;
    cublasStatus_t const status = library_.matmulAlgoGetHeuristic(
        handle_, description_.get(), layouts_[0].get(), layouts_[1].get(), layouts_[2].get(),
        layouts_[2].get(), preference.get(), 1, &result, &found);
    if (status != CUBLAS_STATUS_SUCCESS || found == 0 || result.state != CUBLAS_STATUS_SUCCESS) {
        fail(ErrorKind::kUnsupported,
             "[cuda] cuBLASLt: expected an algorithm for a product of {} matrices in {} bytes of "
             "workspace, got {}. Build the plan with KILN_CUBLASLT naming another version.",
             nameOf(type_), workspaceBytes_,
             library_.statusName(status == CUBLAS_STATUS_SUCCESS ? CUBLAS_STATUS_NOT_SUPPORTED
                                                                 : status));
    }
    return result.algo;
}

cublasStatus_t MatmulPlan::run(void const* a, void const* b, void* c, void* workspace,
                               CUstream stream) const noexcept {
    static constexpr float kOne = 1.0F;
    static constexpr float kZero = 0.0F;
    auto const bits = reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b) |
                      reinterpret_cast<uintptr_t>(c);
    return library_.matmul(handle_, description_.get(), &kOne, a, layouts_[0].get(), b,
                           layouts_[1].get(), &kZero, c, layouts_[2].get(), c, layouts_[2].get(),
                           bits % kAlignment == 0 ? &aligned_ : &anywhere_, workspace,
                           workspaceBytes_, stream);
}

} // namespace kiln::targets::cuda
