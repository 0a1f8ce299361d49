// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_CUDA_TYPES_H
#define KILN_API_CUDA_TYPES_H

#if defined(__has_include)
#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#define KILN_HAS_CUDA_HEADERS 1
#endif
#endif

#if !defined(KILN_HAS_CUDA_HEADERS)
#define KILN_HAS_CUDA_HEADERS 0
struct CUstream_st;
struct CUevent_st;
using cudaStream_t = CUstream_st*;
using cudaEvent_t = CUevent_st*;
#endif

#endif // KILN_API_CUDA_TYPES_H
