// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of boxes of a matrix to shared memory by the copy engine of GPUs of compute capability
// 9.0 (PTX cp.async.bulk.tensor), which tell a barrier the bytes that arrived. The emulation has no
// such engine. Source: PTX ISA, "Tensor copy".
#pragma once

#include "stage_barriers.cuh"

/// What cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col makes: a matrix, and the box that is
/// copied. The engine wants it at a multiple of 64 bytes, to which the emulation does not align
/// parameters.
#ifdef __CUDA_ARCH__
struct alignas(64) TensorMap {
#else
struct TensorMap {
#endif
    uint64_t words[16];
};

#ifdef KILN_MATRIX_UNITS

/// One arrival, and so many bytes of copies, which may come before it.
__device__ inline void arriveAndExpect(StageBarrier& barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(sharedAddress(&barrier)), "r"(bytes)
                 : "memory");
}

/// Copies the box that begins at (column, row); zeros outside of the matrix.
__device__ inline void copyBox(void* to, TensorMap const& map, int column, int row,
                               StageBarrier& barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 :
                 : "r"(sharedAddress(to)), "l"(&map), "r"(column), "r"(row),
                   "r"(sharedAddress(&barrier))
                 : "memory");
}

/// The same of a tensor of four dimensions, for a box that lies in its first two.
__device__ inline void copyBox(void* to, TensorMap const& map, int column, int row, int second,
                               int first, StageBarrier& barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6];"
                 :
                 : "r"(sharedAddress(to)), "l"(&map), "r"(column), "r"(row), "r"(second),
                   "r"(first), "r"(sharedAddress(&barrier))
                 : "memory");
}

/// Of an image with channels last that cuTensorMapEncodeIm2col described: the channels from
/// `channel` on of the positions from (x, y) of an image on, shifted by a tap of a window.
__device__ inline void copyPositions(void* to, TensorMap const& map, int channel, int x, int y,
                                     int image, int tapX, int tapY, StageBarrier& barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};"
                 :
                 : "r"(sharedAddress(to)), "l"(&map), "r"(channel), "r"(x), "r"(y), "r"(image),
                   "r"(sharedAddress(&barrier)), "h"(static_cast<uint16_t>(tapX)),
                   "h"(static_cast<uint16_t>(tapY))
                 : "memory");
}

/// Begins to fetch the description.
__device__ inline void fetchMap(TensorMap const& map) {
    asm volatile("prefetch.tensormap [%0];" : : "l"(&map) : "memory");
}

/// The barriers that this thread made are seen by the copy engine.
__device__ inline void publishBarriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

#else

__device__ inline void arriveAndExpect(StageBarrier&, int) {}
__device__ inline void copyBox(void*, TensorMap const&, int, int, StageBarrier&) {}
__device__ inline void copyPositions(void*, TensorMap const&, int, int, int, int, int, int,
                                     StageBarrier&) {}
__device__ inline void copyBox(void*, TensorMap const&, int, int, int, int, StageBarrier&) {}
__device__ inline void fetchMap(TensorMap const&) {}
__device__ inline void publishBarriers() {}

#endif
