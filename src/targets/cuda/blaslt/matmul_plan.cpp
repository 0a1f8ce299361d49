// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/matmul_plan.h"

#include <optional>

#include <fmt/core.h>

#include "base/hash.h"
#include "base/lru_cache.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {
namespace {

constexpr uint32_t kAlignment = 16;

cudaDataType_t dataTypeOf(DataType type) {
    switch (type) {
    case DataType::kHALF: return CUDA_R_16F;
    case DataType::kBF16: return CUDA_R_16BF;
    case DataType::kINT8: return CUDA_R_8I;
    case DataType::kINT32: return CUDA_R_32I;
    case DataType::kFP8: return CUDA_R_8F_E4M3;
    default: return CUDA_R_32F;
    }
}

std::string textOf(BlasMatrix const& matrix) {
    return fmt::format("{}x{}:{}{}+{}", matrix.rows, matrix.columns, matrix.leading,
                       matrix.transposed ? "t" : "n", matrix.batchStride);
}

std::string textOf(MatmulTypes const& types) {
    auto const operands = static_cast<int32_t>(types.operands);
    auto const result = static_cast<int32_t>(types.result);
    return operands != result ? fmt::format("{}>{}", operands, result)
                              : fmt::format("{}{}", result, types.tf32 ? "t" : "");
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

MatmulPlan::MatmulPlan(MatrixProduct const& product, MatmulTypes types, std::size_t workspaceBytes,
                       MatmulEpilogue epilogue, StoredAlgorithm const* stored)
    : library_(CublasLt::instance()), handle_(library_.handle()), types_(types),
      workspaceBytes_(workspaceBytes), epilogue_(epilogue),
      text_(fmt::format("{}|{}|{}|{}|{}|{}|{}{}{}", textOf(types), textOf(product.a),
                        textOf(product.b), textOf(product.c), product.batch, workspaceBytes,
                        epilogue.bias ? "b" : "", epilogue.addend ? "a" : "",
                        static_cast<int32_t>(epilogue.function))),
      description_(nullptr, library_.matmulDescDestroy) {
    describe(product);
    describeEpilogue();
    if (stored == nullptr || stored->product != this->product() || !use(stored->algorithm)) {
        aligned_ = choose(kAlignment);
    }
}

uint64_t MatmulPlan::product() const noexcept {
    return hashBytes({reinterpret_cast<std::byte const*>(text_.data()), text_.size()});
}

void MatmulPlan::describeEpilogue() {
    using Function = MatmulEpilogue::Function;
    bool const bias = epilogue_.bias;
    cublasLtEpilogue_t const epilogue =
        epilogue_.function == Function::kRelu
            ? (bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU)
        : epilogue_.function == Function::kGeluTanh
            ? (bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU)
            : (bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT);
    if (epilogue != CUBLASLT_EPILOGUE_DEFAULT) {
        library_.check(library_.matmulDescSetAttribute(description_.get(),
                                                       CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                                       sizeof(epilogue)),
                       "set an epilogue");
    }
    if (bias) { // the heuristic looks at its alignment
        boundBias_ = reinterpret_cast<void const*>(uintptr_t{256});
        library_.check(library_.matmulDescSetAttribute(description_.get(),
                                                       CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                                       &boundBias_, sizeof(boundBias_)),
                       "set a bias");
    }
}

void MatmulPlan::describe(MatrixProduct const& product) {
    cublasLtMatmulDesc_t description = nullptr;
    bool const whole = types_.areWhole();
    cublasComputeType_t const compute = whole         ? CUBLAS_COMPUTE_32I
                                        : types_.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                      : CUBLAS_COMPUTE_32F;
    library_.check(
        library_.matmulDescCreate(&description, compute, whole ? CUDA_R_32I : CUDA_R_32F),
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
        DataType const type = layouts_.size() < 2 ? types_.operands : types_.result;
        library_.check(library_.matrixLayoutCreate(
                           &layout, dataTypeOf(type), static_cast<uint64_t>(matrix.rows),
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

cublasLtMatmulAlgo_t MatmulPlan::choose(uint32_t alignment) const {
    std::string const key = fmt::format("{}|{}|{}", Gpu::current().handle, text_, alignment);
    if (auto const known = chosenAlgorithms().find(key); known.has_value()) {
        return *known;
    }
    cublasLtMatmulAlgo_t const algorithm = ask(alignment, 1).front();
    chosenAlgorithms().store(key, algorithm);
    return algorithm;
}

/// The algorithm for operands that are not aligned; null if there is none.
cublasLtMatmulAlgo_t const* MatmulPlan::forAnyAddress() noexcept {
    if (!anywhere_.has_value()) {
        try {
            anywhere_ = choose(static_cast<uint32_t>(bytesFor(types_.operands, 1)));
        } catch (...) { // the run fails, as it should
            return nullptr;
        }
    }
    return &*anywhere_;
}

std::vector<cublasLtMatmulAlgo_t> MatmulPlan::algorithms() const {
    constexpr int kMost = 12;
    return ask(kAlignment, kMost);
}

bool MatmulPlan::use(cublasLtMatmulAlgo_t const& algorithm) {
    cublasLtMatmulHeuristicResult_t result{};
    cublasStatus_t const status =
        library_.matmulAlgoCheck(handle_, description_.get(), layouts_[0].get(), layouts_[1].get(),
                                 layouts_[2].get(), layouts_[2].get(), &algorithm, &result);
    bool const fits = status == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= workspaceBytes_;
    if (fits) {
        aligned_ = algorithm;
        neededWorkspace_ = result.workspaceSize;
    }
    return fits;
}

std::size_t MatmulPlan::chosen() {
    return chosenAlgorithms().size();
}

std::vector<cublasLtMatmulAlgo_t> MatmulPlan::ask(uint32_t alignment, int wanted) const {
    Preference preference(library_);
    preference.set<uint64_t>(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspaceBytes_);
    preference.set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                   CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
    for (auto const attribute :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
        preference.set(attribute, alignment);
    }
    std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(wanted));
    int found = 0;
    cublasStatus_t const status = library_.matmulAlgoGetHeuristic(
        handle_, description_.get(), layouts_[0].get(), layouts_[1].get(), layouts_[2].get(),
        layouts_[2].get(), preference.get(), wanted, results.data(), &found);
    std::vector<cublasLtMatmulAlgo_t> algorithms;
    for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < found; ++i) {
        cublasLtMatmulHeuristicResult_t const& result = results[static_cast<std::size_t>(i)];
        if (result.state == CUBLAS_STATUS_SUCCESS) {
            algorithms.push_back(result.algo);
        }
    }
    if (algorithms.empty()) {
        fail(ErrorKind::kUnsupported,
             "[cuda] cuBLASLt: expected an algorithm for a product of {} matrices in {} bytes of "
             "workspace, got {}. Build the plan with KILN_CUBLASLT naming another version.",
             nameOf(types_.operands), workspaceBytes_,
             library_.statusName(status == CUBLAS_STATUS_SUCCESS ? CUBLAS_STATUS_NOT_SUPPORTED
                                                                 : status));
    }
    return algorithms;
}

cublasStatus_t MatmulPlan::run(Pointers const& pointers, CUstream stream) noexcept {
    static constexpr float kOne = 1.0F;
    static constexpr float kZero = 0.0F;
    static constexpr int32_t kWhole[] = {0, 1};
    if (epilogue_.bias && pointers.bias != boundBias_) [[unlikely]] {
        cublasStatus_t const status =
            library_.matmulDescSetAttribute(description_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                            &pointers.bias, sizeof(pointers.bias));
        if (status != CUBLAS_STATUS_SUCCESS) {
            return status;
        }
        boundBias_ = pointers.bias;
    }
    void const* const addend = epilogue_.addend ? pointers.addend : pointers.c;
    auto const bits = reinterpret_cast<uintptr_t>(pointers.a) |
                      reinterpret_cast<uintptr_t>(pointers.b) |
                      reinterpret_cast<uintptr_t>(pointers.bias) |
                      reinterpret_cast<uintptr_t>(addend) | reinterpret_cast<uintptr_t>(pointers.c);
    cublasLtMatmulAlgo_t const* const algorithm =
        bits % kAlignment == 0 ? &aligned_ : forAnyAddress();
    if (algorithm == nullptr) [[unlikely]] {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    bool const whole = types_.areWhole();
    void const* const alpha = whole ? static_cast<void const*>(&kWhole[1]) : &pointers.factor;
    void const* const beta = whole              ? static_cast<void const*>(&kWhole[0])
                             : epilogue_.addend ? &kOne
                                                : &kZero;
    return library_.matmul(handle_, description_.get(), alpha, pointers.a, layouts_[0].get(),
                           pointers.b, layouts_[1].get(), beta, addend, layouts_[2].get(),
                           pointers.c, layouts_[2].get(), algorithm, pointers.workspace,
                           workspaceBytes_, stream);
}

} // namespace kiln::targets::cuda
