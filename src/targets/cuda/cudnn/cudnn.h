// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "targets/cuda/cudnn/cudnn_types.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {

// Every function of cuDNN that Kiln calls: symbol, member name, result, parameters.
#define KILN_CUDNN_FUNCTIONS(X)                                                                    \
    X(cudnnGetVersion, version, std::size_t, ())                                                   \
    X(cudnnGetErrorString, errorString, char const*, (cudnnStatus_t status))                       \
    X(cudnnGetLastErrorString, lastErrorString, void, (char* text, std::size_t bytes))             \
    X(cudnnCreate, create, cudnnStatus_t, (cudnnHandle_t * handle))                                \
    X(cudnnSetStream, setStream, cudnnStatus_t, (cudnnHandle_t handle, CUstream stream))           \
    X(cudnnBackendCreateDescriptor, createDescriptor, cudnnStatus_t,                               \
      (cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t * descriptor))                  \
    X(cudnnBackendDestroyDescriptor, destroyDescriptor, cudnnStatus_t,                             \
      (cudnnBackendDescriptor_t descriptor))                                                       \
    X(cudnnBackendFinalize, finalize, cudnnStatus_t, (cudnnBackendDescriptor_t descriptor))        \
    X(cudnnBackendSetAttribute, setAttribute, cudnnStatus_t,                                       \
      (cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,                      \
       cudnnBackendAttributeType_t type, int64_t count, void const* values))                       \
    X(cudnnBackendGetAttribute, getAttribute, cudnnStatus_t,                                       \
      (cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,                      \
       cudnnBackendAttributeType_t type, int64_t wanted, int64_t* count, void* values))            \
    X(cudnnBackendExecute, execute, cudnnStatus_t,                                                 \
      (cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack))

/// cuDNN, opened at run time: one member for each function in the list.
struct Cudnn {
#define KILN_MEMBER(symbol, member, result, parameters) result(*member) parameters = nullptr;
    KILN_CUDNN_FUNCTIONS(KILN_MEMBER)
#undef KILN_MEMBER

    /// Opens the library at first use; KILN_CUDNN names a file to open instead of libcudnn.so.9.
    /// Throws kUnsupported on each call if there is no library or no GPU.
    static Cudnn const& instance();
    /// Throws kUnsupported if there is a GPU, but no library. Opens it only if its file is not
    /// found at once.
    static void expectPresent();
    /// Empty if instance() works, else the reason.
    static std::string const& problem();

    /// The calling thread's own handle for a GPU, created at its first call and kept until it ends.
    /// Null if cuDNN cannot create one.
    static cudnnHandle_t threadHandle(Gpu const& gpu) noexcept;

    /// cuDNN's text for a failure: "CUDNN_STATUS_NOT_SUPPORTED (...)".
    std::string textOf(cudnnStatus_t status) const;
    /// Throws kUnsupported with "[cuda] cuDNN, <action>: ..." unless the call succeeded.
    void check(cudnnStatus_t status, char const* action) const;
};

} // namespace kiln::targets::cuda
