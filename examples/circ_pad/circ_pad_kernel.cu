// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Circular padding on a GPU, in CUDA C++ without any header, for nvcc, NVRTC and CuPy.
//
// y: count elements, contiguous; the last four dimensions have the extents grown0 to grown3. x: the
// same with extent0 to extent3. before: number of elements of y before the first of x. One thread
// copies the bits of one element, so a half is any two bytes.
#define DIMENSION(i) int extent##i, int before##i, int grown##i

__device__ int source(int index, int extent, int before) {
    int const rest = (index - before) % extent;
    return rest < 0 ? rest + extent : rest;
}

template <typename Element>
__device__ void pad(Element const* x, int count, DIMENSION(0), DIMENSION(1), DIMENSION(2),
                    DIMENSION(3), Element* y) {
    int const at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) {
        return;
    }
    int const row = at / grown3;
    int const plane = row / grown2;
    int const cube = plane / grown1;
    int const outer = cube / grown0;
    int from = outer * extent0 + source(cube - outer * grown0, extent0, before0);
    from = from * extent1 + source(plane - cube * grown1, extent1, before1);
    from = from * extent2 + source(row - plane * grown2, extent2, before2);
    from = from * extent3 + source(at - row * grown3, extent3, before3);
    y[at] = x[from];
}

#define ENTRY(name, Element)                                                                       \
    extern "C" __global__ void name(Element const* x, int count, DIMENSION(0), DIMENSION(1),       \
                                    DIMENSION(2), DIMENSION(3), Element* y) {                      \
        pad(x, count, extent0, before0, grown0, extent1, before1, grown1, extent2, before2,        \
            grown2, extent3, before3, grown3, y);                                                  \
    }

ENTRY(circ_pad_float32, unsigned int)
ENTRY(circ_pad_float16, unsigned short)
