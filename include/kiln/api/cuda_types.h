// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// cudaStream_t and cudaEvent_t. If the compiler finds CUDA's own header, they come from there, to
// be compatible with CUDA code. Otherwise this header declares them, so programs for the CPU need
// no CUDA installation. Both declare the same types, so object files compiled either way link
// together.
//
// The CUDA header includes crt/host_defines.h, which since CUDA 13 is in a separate package
// (nvidia-cuda-crt beside nvidia-cuda-runtime). Without it the CUDA header is unusable and not
// included.
#pragma once

#if defined(__has_include)
#if __has_include(<cuda_runtime_api.h>) && __has_include(<crt/host_defines.h>)
#include <cuda_runtime_api.h>
#define KILN_HAS_CUDA_HEADERS 1
#endif
#endif

#if !defined(KILN_HAS_CUDA_HEADERS)
//! 1 if <cuda_runtime_api.h> was included, else 0.
#define KILN_HAS_CUDA_HEADERS 0

struct CUstream_st;
struct CUevent_st;

//! A queue of work on a GPU. The cpu target ignores it: pass 0; all work is synchronous.
using cudaStream_t = CUstream_st*;

//! A point in a stream that other streams or the host can wait for. Ignored by the cpu target.
using cudaEvent_t = CUevent_st*;
#endif
