// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stands in for cuBLASLt: KILN_CUBLASLT names this library. It refuses what the real library
// refuses, and algorithms that were made for other matrices, alignments or workspaces.
#include "targets/cuda/blaslt/cublaslt.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "emulation/context.h"
#include "emulation/memory.h"
#include "emulation/numbers.h"
#include "emulation/streams.h"

namespace kiln::emulation {

#define KILN_DECLARE(symbol, member, result, parameters) KILN_EMULATED result symbol parameters;
KILN_CUBLASLT_FUNCTIONS(KILN_DECLARE)
#undef KILN_DECLARE

namespace {

constexpr cublasStatus_t kInvalidValue{7};
constexpr cublasStatus_t kExecutionFailed{13};

struct Product {
    cublasOperation_t a = CUBLAS_OP_N;
    cublasOperation_t b = CUBLAS_OP_N;
    uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    void const* bias = nullptr;
    bool whole = false; ///< sums of int32
    bool tf32 = false;  ///< operands are rounded
};

bool addsBias(Product const& product) {
    return (product.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0;
}

struct Layout {
    Number number = Number::kFloat;
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t leading = 0;
    int32_t batch = 1;
    int64_t stride = 0;
};

struct Preference {
    uint64_t workspace = 0;
    uint32_t reductions = 7;
    uint32_t alignment = 256; ///< the smallest of all operands
};

Product& productOf(cublasLtMatmulDesc_t handle) {
    return *reinterpret_cast<Product*>(handle);
}
Layout& layoutOf(cublasLtMatrixLayout_t handle) {
    return *reinterpret_cast<Layout*>(handle);
}
Preference& preferenceOf(cublasLtMatmulPreference_t handle) {
    return *reinterpret_cast<Preference*>(handle);
}

template <typename T>
cublasStatus_t assign(T& field, void const* value, std::size_t bytes) {
    if (bytes != sizeof(T)) {
        return kInvalidValue;
    }
    std::memcpy(&field, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

/// Identifies the product that an algorithm is made for.
uint64_t fingerprint(Product const& product, Layout const& a, Layout const& b, Layout const& c) {
    uint64_t hash = product.epilogue * 8U + (product.tf32 ? 4U : 0U) + product.a * 2U + product.b;
    for (Layout const& layout : {a, b, c}) {
        for (int64_t const value :
             {static_cast<int64_t>(layout.number), layout.rows, layout.columns, layout.leading,
              static_cast<int64_t>(layout.batch), layout.stride}) {
            hash = hash * 0x100000001b3ULL + static_cast<uint64_t>(value);
        }
    }
    return hash;
}

bool fits(Product const& product, Layout const& a, Layout const& b, Layout const& c) {
    bool const ta = product.a == CUBLAS_OP_T;
    bool const tb = product.b == CUBLAS_OP_T;
    bool sound = (ta ? a.columns : a.rows) == c.rows && (tb ? b.rows : b.columns) == c.columns &&
                 (ta ? a.rows : a.columns) == (tb ? b.columns : b.rows) && c.rows > 0 &&
                 c.columns > 0 && c.stride * (c.batch - 1) >= 0;
    bool const fp8 = a.number == Number::kFp8;
    bool const narrow = fp8 || a.number == Number::kInt8;
    Number const result = a.number == Number::kInt8 ? Number::kInt32 : c.number;
    sound = sound && a.number == b.number && (narrow ? c.number == result : c.number == a.number) &&
            product.whole == (a.number == Number::kInt8);
    for (Layout const& layout : {a, b, c}) {
        sound = sound && layout.leading >= layout.rows && layout.batch == c.batch;
    }
    if (narrow) { // terms along the columns of both
        int64_t const multiple = fp8 ? 16 : 4;
        sound = sound && ta && !tb && a.rows % multiple == 0 && c.rows % multiple == 0 &&
                a.leading % multiple == 0 && b.leading % multiple == 0 &&
                (fp8 || product.epilogue == CUBLASLT_EPILOGUE_DEFAULT);
    }
    return sound && (c.batch == 1 || c.stride >= c.leading * (c.columns - 1) + c.rows);
}

/// The epilogue's function of an element.
float finished(Product const& product, float x) {
    if ((product.epilogue & CUBLASLT_EPILOGUE_GELU) != 0) {
        return 0.5F * x * (1.0F + std::tanh(0.797884561F * (x + 0.044715F * x * x * x)));
    }
    return (product.epilogue & CUBLASLT_EPILOGUE_RELU) != 0 ? std::max(x, 0.0F) : x;
}

/// Sums of whole numbers, exactly.
void computeWhole(Layout const& a, Layout const& b, Layout const& c, int8_t const* left,
                  int8_t const* right, int32_t* result) {
    for (int64_t i = 0; i < c.batch * c.columns * c.rows; ++i) {
        int64_t const row = i % c.rows;
        int64_t const column = i / c.rows % c.columns;
        int64_t const batch = i / c.rows / c.columns;
        int32_t sum = 0;
        for (int64_t k = 0; k < a.rows; ++k) {
            sum += left[batch * a.stride + row * a.leading + k] *
                   right[batch * b.stride + column * b.leading + k];
        }
        result[batch * c.stride + column * c.leading + row] = sum;
    }
}

/// An operand as tensor cores read it: TF32 has 10 bits behind the point.
float operand(Product const& product, float x) {
    constexpr uint32_t kDropped = 13;
    uint32_t const bits = std::bit_cast<uint32_t>(x) + (1U << (kDropped - 1));
    return product.tf32 ? std::bit_cast<float>(bits >> kDropped << kDropped) : x;
}

/// `addend` is null if there is none.
void compute(Product const& product, float factor, Layout const& a, Layout const& b,
             Layout const& c, void const* left, void const* right, void const* addend,
             void* result) {
    bool const ta = product.a == CUBLAS_OP_T;
    bool const tb = product.b == CUBLAS_OP_T;
    int64_t const inner = ta ? a.rows : a.columns;
    for (int64_t i = 0; i < c.batch * c.columns * c.rows; ++i) {
        int64_t const row = i % c.rows;
        int64_t const column = i / c.rows % c.columns;
        int64_t const batch = i / c.rows / c.columns;
        float sum = 0.0F;
        for (int64_t k = 0; k < inner; ++k) {
            int64_t const atA = ta ? row * a.leading + k : k * a.leading + row;
            int64_t const atB = tb ? k * b.leading + column : column * b.leading + k;
            sum += operand(product, load(left, batch * a.stride + atA, a.number)) *
                   operand(product, load(right, batch * b.stride + atB, b.number));
        }
        int64_t const to = batch * c.stride + column * c.leading + row;
        sum *= factor;
        sum += addend == nullptr ? 0.0F : load(addend, to, c.number);
        sum += addsBias(product) ? load(product.bias, row, c.number) : 0.0F;
        store(result, to, c.number, finished(product, sum));
    }
}

} // namespace

KILN_EMULATED cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    *handle = reinterpret_cast<cublasLtHandle_t>(new CUcontext(currentContext())); // of one GPU
    return CUBLAS_STATUS_SUCCESS;
}

KILN_EMULATED std::size_t cublasLtGetVersion() {
    return 130000;
}

KILN_EMULATED char const* cublasLtGetStatusName(cublasStatus_t status) {
    switch (static_cast<int>(status)) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    case 7: return "CUBLAS_STATUS_INVALID_VALUE";
    default: return "CUBLAS_STATUS_EXECUTION_FAILED";
    }
}

KILN_EMULATED cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description,
                                                      cublasComputeType_t compute,
                                                      cudaDataType_t scale) {
    auto* const product = new Product;
    product->whole = compute == CUBLAS_COMPUTE_32I;
    product->tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
    *description = reinterpret_cast<cublasLtMatmulDesc_t>(product);
    return ((compute == CUBLAS_COMPUTE_32F || product->tf32) && scale == CUDA_R_32F) ||
                   (compute == CUBLAS_COMPUTE_32I && scale == CUDA_R_32I)
               ? CUBLAS_STATUS_SUCCESS
               : kInvalidValue;
}

KILN_EMULATED cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
    delete &productOf(description);
    return CUBLAS_STATUS_SUCCESS;
}

KILN_EMULATED cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t attribute, void const* value,
    std::size_t bytes) {
    Product& product = productOf(description);
    switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA: return assign(product.a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB: return assign(product.b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return assign(product.epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return assign(product.bias, value, bytes);
    }
    return kInvalidValue;
}

KILN_EMULATED cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout,
                                                        cudaDataType_t type, uint64_t rows,
                                                        uint64_t columns, int64_t leading) {
    Number const number = type == CUDA_R_32F       ? Number::kFloat
                          : type == CUDA_R_16F     ? Number::kHalf
                          : type == CUDA_R_8I      ? Number::kInt8
                          : type == CUDA_R_32I     ? Number::kInt32
                          : type == CUDA_R_8F_E4M3 ? Number::kFp8
                                                   : Number::kBfloat16;
    *layout = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{
        number, static_cast<int64_t>(rows), static_cast<int64_t>(columns), leading, 1, 0});
    return CUBLAS_STATUS_SUCCESS;
}

KILN_EMULATED cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    delete &layoutOf(layout);
    return CUBLAS_STATUS_SUCCESS;
}

KILN_EMULATED cublasStatus_t cublasLtMatrixLayoutSetAttribute(
    cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, void const* value,
    std::size_t bytes) {
    return attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT
               ? assign(layoutOf(layout).batch, value, bytes)
               : assign(layoutOf(layout).stride, value, bytes);
}

KILN_EMULATED cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
    return CUBLAS_STATUS_SUCCESS;
}

KILN_EMULATED cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    delete &preferenceOf(preference);
    return CUBLAS_STATUS_SUCCESS;
}

KILN_EMULATED cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,
    void const* value, std::size_t bytes) {
    Preference& all = preferenceOf(preference);
    if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) {
        return assign(all.workspace, value, bytes);
    }
    if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK) {
        return assign(all.reductions, value, bytes);
    }
    uint32_t alignment = 0;
    cublasStatus_t const status = assign(alignment, value, bytes);
    all.alignment = std::min(all.alignment, alignment);
    return status;
}

KILN_EMULATED cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t description, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int wanted, cublasLtMatmulHeuristicResult_t* results,
    int* found) {
    Preference const& all = preferenceOf(preference);
    *found = 0;
    if (wanted < 1 || c != d || all.reductions != CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE ||
        !fits(productOf(description), layoutOf(a), layoutOf(b), layoutOf(c))) {
        return kInvalidValue;
    }
    constexpr int kAlgorithms = 2; // the second one needs no workspace
    *found = std::min(wanted, kAlgorithms);
    for (int i = 0; i < *found; ++i) {
        results[i] = {};
        results[i].algo.data[0] =
            fingerprint(productOf(description), layoutOf(a), layoutOf(b), layoutOf(c));
        results[i].algo.data[1] = all.alignment;
        results[i].algo.data[2] = i == 0 ? all.workspace : 0;
        results[i].algo.data[3] = static_cast<uint64_t>(i);
        results[i].workspaceSize = results[i].algo.data[2];
    }
    return CUBLAS_STATUS_SUCCESS;
}

KILN_EMULATED cublasStatus_t cublasLtMatmulAlgoCheck(
    cublasLtHandle_t, cublasLtMatmulDesc_t description, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulAlgo_t const* algorithm, cublasLtMatmulHeuristicResult_t* result) {
    *result = {};
    if (c != d || algorithm->data[0] !=
                      fingerprint(productOf(description), layoutOf(a), layoutOf(b), layoutOf(c))) {
        return kInvalidValue;
    }
    result->algo = *algorithm;
    result->workspaceSize = algorithm->data[2];
    return CUBLAS_STATUS_SUCCESS;
}

KILN_EMULATED cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t library, cublasLtMatmulDesc_t description, void const* alpha, void const* a,
    cublasLtMatrixLayout_t aLayout, void const* b, cublasLtMatrixLayout_t bLayout, void const* beta,
    void const* c, cublasLtMatrixLayout_t cLayout, void* d, cublasLtMatrixLayout_t dLayout,
    cublasLtMatmulAlgo_t const* algorithm, void* workspace, std::size_t workspaceBytes,
    CUstream handle) {
    Call const call(__func__);
    Stream* const stream = streamOf(handle);
    if (call.refused() || stream == nullptr ||
        *reinterpret_cast<CUcontext*>(library) != currentContext()) {
        return kExecutionFailed;
    }
    Product const product = productOf(description);
    Layout const left = layoutOf(aLayout);
    Layout const right = layoutOf(bLayout);
    Layout const result = layoutOf(cLayout);
    auto const bits = reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b) |
                      reinterpret_cast<uintptr_t>(c) | reinterpret_cast<uintptr_t>(d);
    bool const whole = product.whole;
    float const scale = whole ? static_cast<float>(*static_cast<int32_t const*>(beta))
                              : *static_cast<float const*>(beta);
    float const factor = whole ? static_cast<float>(*static_cast<int32_t const*>(alpha))
                               : *static_cast<float const*>(alpha);
    bool const isSound = algorithm->data[0] == fingerprint(product, left, right, result) &&
                         bits % algorithm->data[1] == 0 && workspaceBytes >= algorithm->data[2] &&
                         (workspaceBytes == 0 || covers(workspace, workspaceBytes)) &&
                         cLayout == dLayout && (scale == 1.0F || (scale == 0.0F && c == d)) &&
                         addsBias(product) == (product.bias != nullptr) &&
                         (!whole || (scale == 0.0F && factor == 1.0F));
    if (!isSound) {
        return kInvalidValue;
    }
    CUresult const queued = enqueue(*stream, [=] {
        DeviceAccess const access;
        if (product.whole) {
            computeWhole(left, right, result, static_cast<int8_t const*>(a),
                         static_cast<int8_t const*>(b), static_cast<int32_t*>(d));
            return;
        }
        compute(product, factor, left, right, result, a, b, scale == 0.0F ? nullptr : c, d);
    });
    return queued == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : kExecutionFailed;
}

} // namespace kiln::emulation
