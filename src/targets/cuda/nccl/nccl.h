// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "targets/cuda/driver/driver_types.h"

namespace kiln::targets::cuda {

// As in nccl.h, version 2.
using ncclComm_t = struct ncclComm*;
using ncclResult_t = int;   ///< 0: success
using ncclDataType_t = int; ///< NcclType
using ncclRedOp_t = int;    ///< NcclReduction

enum class NcclType : ncclDataType_t {
    kInt8 = 0,
    kUint8 = 1,
    kInt32 = 2,
    kInt64 = 4,
    kHalf = 6,
    kFloat = 7,
    kBfloat16 = 9,
};

enum class NcclReduction : ncclRedOp_t { kSum = 0, kProduct = 1, kMax = 2, kMin = 3, kAverage = 4 };

// Every function of NCCL that Kiln calls: symbol, member name, result, parameters.
#define KILN_NCCL_FUNCTIONS(X)                                                                     \
    X(ncclGetVersion, getVersion, ncclResult_t, (int* version))                                    \
    X(ncclGetErrorString, errorString, char const*, (ncclResult_t result))                         \
    X(ncclCommCount, count, ncclResult_t, (ncclComm_t communicator, int* count))                   \
    X(ncclCommUserRank, rank, ncclResult_t, (ncclComm_t communicator, int* rank))                  \
    X(ncclAllReduce, allReduce, ncclResult_t,                                                      \
      (void const* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t reduction,  \
       ncclComm_t communicator, CUstream stream))                                                  \
    X(ncclReduce, reduce, ncclResult_t,                                                            \
      (void const* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t reduction,  \
       int root, ncclComm_t communicator, CUstream stream))                                        \
    X(ncclReduceScatter, reduceScatter, ncclResult_t,                                              \
      (void const* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t reduction,  \
       ncclComm_t communicator, CUstream stream))                                                  \
    X(ncclBroadcast, broadcast, ncclResult_t,                                                      \
      (void const* from, void* to, std::size_t count, ncclDataType_t type, int root,               \
       ncclComm_t communicator, CUstream stream))                                                  \
    X(ncclAllGather, allGather, ncclResult_t,                                                      \
      (void const* from, void* to, std::size_t count, ncclDataType_t type,                         \
       ncclComm_t communicator, CUstream stream))                                                  \
    X(ncclSend, send, ncclResult_t,                                                                \
      (void const* from, std::size_t count, ncclDataType_t type, int peer,                         \
       ncclComm_t communicator, CUstream stream))                                                  \
    X(ncclRecv, receive, ncclResult_t,                                                             \
      (void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,        \
       CUstream stream))                                                                           \
    X(ncclGroupStart, groupStart, ncclResult_t, ())                                                \
    X(ncclGroupEnd, groupEnd, ncclResult_t, ())

/// NCCL, opened at run time: one member for each function in the list. Communicators are the
/// user's, so the library that the process has opened is taken.
struct Nccl {
#define KILN_MEMBER(symbol, member, result, parameters) result(*member) parameters = nullptr;
    KILN_NCCL_FUNCTIONS(KILN_MEMBER)
#undef KILN_MEMBER

    /// Opens the library at first use; KILN_NCCL names a file to open instead of libnccl.so.2.
    /// Throws kUnsupported on each call if there is no library or no GPU.
    static Nccl const& instance();
    /// Empty if instance() works, else the reason.
    static std::string const& problem();
};

} // namespace kiln::targets::cuda
