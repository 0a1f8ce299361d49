// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "targets/cuda/blaslt/cublaslt_types.h"

namespace kiln::targets::cuda {

// Every function of cuBLASLt that Kiln calls: symbol, member name, result, parameters.
#define KILN_CUBLASLT_FUNCTIONS(X)                                                                 \
    X(cublasLtCreate, create, cublasStatus_t, (cublasLtHandle_t * handle))                         \
    X(cublasLtGetVersion, version, std::size_t, ())                                                \
    X(cublasLtGetStatusName, statusName, char const*, (cublasStatus_t status))                     \
    X(cublasLtMatmulDescCreate, matmulDescCreate, cublasStatus_t,                                  \
      (cublasLtMatmulDesc_t * description, cublasComputeType_t compute, cudaDataType_t scale))     \
    X(cublasLtMatmulDescDestroy, matmulDescDestroy, cublasStatus_t,                                \
      (cublasLtMatmulDesc_t description))                                                          \
    X(cublasLtMatmulDescSetAttribute, matmulDescSetAttribute, cublasStatus_t,                      \
      (cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t attribute,                 \
       void const* value, std::size_t bytes))                                                      \
    X(cublasLtMatrixLayoutCreate, matrixLayoutCreate, cublasStatus_t,                              \
      (cublasLtMatrixLayout_t * layout, cudaDataType_t type, uint64_t rows, uint64_t columns,      \
       int64_t leading))                                                                           \
    X(cublasLtMatrixLayoutDestroy, matrixLayoutDestroy, cublasStatus_t,                            \
      (cublasLtMatrixLayout_t layout))                                                             \
    X(cublasLtMatrixLayoutSetAttribute, matrixLayoutSetAttribute, cublasStatus_t,                  \
      (cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,                   \
       void const* value, std::size_t bytes))                                                      \
    X(cublasLtMatmulPreferenceCreate, matmulPreferenceCreate, cublasStatus_t,                      \
      (cublasLtMatmulPreference_t * preference))                                                   \
    X(cublasLtMatmulPreferenceDestroy, matmulPreferenceDestroy, cublasStatus_t,                    \
      (cublasLtMatmulPreference_t preference))                                                     \
    X(cublasLtMatmulPreferenceSetAttribute, matmulPreferenceSetAttribute, cublasStatus_t,          \
      (cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,      \
       void const* value, std::size_t bytes))                                                      \
    X(cublasLtMatmulAlgoGetHeuristic, matmulAlgoGetHeuristic, cublasStatus_t,                      \
      (cublasLtHandle_t handle, cublasLtMatmulDesc_t description, cublasLtMatrixLayout_t a,        \
       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,               \
       cublasLtMatmulPreference_t preference, int wanted,                                          \
       cublasLtMatmulHeuristicResult_t* results, int* found))                                      \
    X(cublasLtMatmulAlgoCheck, matmulAlgoCheck, cublasStatus_t,                                    \
      (cublasLtHandle_t handle, cublasLtMatmulDesc_t description, cublasLtMatrixLayout_t a,        \
       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,               \
       cublasLtMatmulAlgo_t const* algorithm, cublasLtMatmulHeuristicResult_t* result))            \
    X(cublasLtMatmul, matmul, cublasStatus_t,                                                      \
      (cublasLtHandle_t handle, cublasLtMatmulDesc_t description, void const* alpha,               \
       void const* a, cublasLtMatrixLayout_t aLayout, void const* b,                               \
       cublasLtMatrixLayout_t bLayout, void const* beta, void const* c,                            \
       cublasLtMatrixLayout_t cLayout, void* d, cublasLtMatrixLayout_t dLayout,                    \
       cublasLtMatmulAlgo_t const* algorithm, void* workspace, std::size_t workspaceBytes,         \
       CUstream stream))

/// cuBLASLt, opened at run time: one member for each function in the list.
struct CublasLt {
#define KILN_MEMBER(symbol, member, result, parameters) result(*member) parameters = nullptr;
    KILN_CUBLASLT_FUNCTIONS(KILN_MEMBER)
#undef KILN_MEMBER

    /// The handle for the current GPU, created at its first use and never destroyed; thread-safe.
    /// Throws kDevice if cuBLASLt cannot create one.
    cublasLtHandle_t handle() const;

    /// Opens the library at first use; KILN_CUBLASLT names a file to open instead of
    /// libcublasLt.so.13 or .12. Throws kUnsupported on each call if there is no library or no GPU.
    static CublasLt const& instance();
    /// Throws kUnsupported if there is a GPU, but no library. Opens it only if its file is not
    /// found at once.
    static void expectPresent();
    /// Empty if instance() works, else the reason.
    static std::string const& problem();

    /// Throws kDevice with "[cuda] cuBLASLt, <action>: ..." unless the call succeeded.
    void check(cublasStatus_t status, char const* action) const;
};

} // namespace kiln::targets::cuda
