// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// cudaStream_t and cudaEvent_t. They come from CUDA's own header where the compiler finds it, so
// that they mix with CUDA code; otherwise the same two names are declared here, and programs for
// the CPU build with nothing else installed. Both ways give the same types, so objects compiled
// one way link with objects compiled the other way.
//
// The header needs a second one, crt/host_defines.h, which since CUDA 13 comes in a package of its
// own (nvidia-cuda-crt beside nvidia-cuda-runtime). With the first alone the header is unusable and
// not taken.
#pragma once

#if defined(__has_include)
#if __has_include(<cuda_runtime_api.h>) && __has_include(<crt/host_defines.h>)
#include <cuda_runtime_api.h>
#define KILN_HAS_CUDA_HEADERS 1
#endif
#endif

#if !defined(KILN_HAS_CUDA_HEADERS)
//! 1 when <cuda_runtime_api.h> was taken, else 0.
#define KILN_HAS_CUDA_HEADERS 0

struct CUstream_st;
struct CUevent_st;

//! A queue of work on a GPU. The cpu target ignores it: 0 is fine there, and work is done when the
//! call that asks for it returns.
using cudaStream_t = CUstream_st*;

//! A point in a stream that other streams or the host can wait for. Ignored by the cpu target.
using cudaEvent_t = CUevent_st*;
#endif
