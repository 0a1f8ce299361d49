// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// dynamic_quantize: the scale of each block is its largest magnitude / (kMost * factor); then
// elements are divided by scale * factor. Blocks of neighbours are read once: their elements stay
// in the registers of up to 32 lanes, or in the cache for a block of threads. For others, a thread
// finds the scale of a small block, a warp that of a large one, and a second launch divides.
// Macros: KILN_WIDE, KILN_NARROW and KILN_SCALE, the types; KILN_FACTOR, that of the factor, only
// defined if there is one; KILN_MOST, the largest number of KILN_NARROW.
#include "quantized_vectors.cuh"

typedef KILN_WIDE Wide;
typedef KILN_NARROW Narrow;
typedef KILN_SCALE Scale;

#ifdef KILN_FACTOR
#define KILN_FACTORS , KILN_FACTOR const* factors
#define KILN_FACTOR_VALUE toFloat(*factors)
#else
#define KILN_FACTORS
#define KILN_FACTOR_VALUE 1.0F
#endif

struct Arguments {
    QuantizedBlocks blocks;
    int64_t scaleCount;
    int64_t run;      ///< elements of a block of neighbours
    int32_t laneBits; ///< if each has 2^laneBits vectors
    int32_t rank;
    int64_t data[kMaxRank];   ///< extents
    int64_t block[kMaxRank];  ///< extents of a block
    int64_t scales[kMaxRank]; ///< blocks along each axis
};

/// The larger magnitude; NaN if one is NaN.
__device__ inline float largerMagnitude(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
    return larger;
#else
    return a != a || a > b ? a : b;
#endif
}

/// The largest magnitude among every `step`-th element of a block, from number `begin` on.
__device__ inline float largestIn(Arguments const& arguments, Wide const* from, int64_t block,
                                  int begin, int step) {
    int64_t first = 0;
    int64_t stride = 1;
    int64_t total = 1;
    int64_t count[kMaxRank];
    for (int axis = arguments.rank - 1; axis >= 0; --axis) {
        int64_t const outer = quotient(block, arguments.scales[axis]);
        int64_t const start = (block - outer * arguments.scales[axis]) * arguments.block[axis];
        int64_t const rest = arguments.data[axis] - start;
        count[axis] = rest < arguments.block[axis] ? rest : arguments.block[axis];
        first += start * stride;
        stride *= arguments.data[axis];
        total *= count[axis];
        block = outer;
    }
    float largest = 0.0F;
    for (int64_t i = begin; i < total; i += step) {
        int64_t rest = i;
        int64_t offset = first;
        int64_t pitch = 1;
        for (int axis = arguments.rank - 1; axis >= 0 && rest > 0; --axis) {
            int64_t const outer = quotient(rest, count[axis]);
            offset += (rest - outer * count[axis]) * pitch;
            pitch *= arguments.data[axis];
            rest = outer;
        }
        largest = largerMagnitude(fabsf(toFloat(from[offset])), largest);
    }
    return largest;
}

KILN_KERNEL void scales_by_thread(Wide const* from KILN_FACTORS, Narrow*, Scale* scales,
                                  KILN_IN_PLACE Arguments arguments) {
    for (int64_t block = threadIndex(); block < arguments.scaleCount; block += threadCount()) {
        float const largest = largestIn(arguments, from, block, 0, 1);
        scales[block] = elementOf<Scale>(largest / (KILN_MOST * KILN_FACTOR_VALUE));
    }
}

KILN_KERNEL void scales_by_warp(Wide const* from KILN_FACTORS, Narrow*, Scale* scales,
                                KILN_IN_PLACE Arguments arguments) {
    int const lane = static_cast<int>(threadIdx.x & 31U);
    int64_t const warps = threadCount() >> 5;
    for (int64_t block = threadIndex() >> 5; block < arguments.scaleCount; block += warps) {
        float largest = largestIn(arguments, from, block, lane, 32);
        for (int step = 16; step > 0; step >>= 1) {
            largest = largerMagnitude(__shfl_xor_sync(kAllLanes, largest, step), largest);
        }
        if (lane == 0) {
            scales[block] = elementOf<Scale>(largest / (KILN_MOST * KILN_FACTOR_VALUE));
        }
    }
}

/// Of one block, whose elements may all be 0.
struct BlockQuantizer {
    Quantizer<Narrow> one;

    __device__ explicit BlockQuantizer(float scale) : one(scale, 0.0F) {}
    __device__ BlockQuantizer const& at(int) const { return *this; }
    __device__ bool isNormal() const { return one.isNormal; }
    __device__ float quotient(float x) const { return one.quotient(x); }
    __device__ int32_t shift() const { return 0; }
    __device__ float number(float x) const {
        return one.scale == 0.0F ? 0.0F : quantizedNumber<Narrow>(x, one.scale, 0.0F);
    }
    template <int kWidth>
    __device__ Vector<Narrow, kWidth> vector(float (&x)[kWidth]) const {
        return quantizedVector<Narrow>(*this, x);
    }
};

constexpr int kWidth = kWidthOf<Wide, Narrow>;

struct Tensors {
    Wide const* from;
    Narrow* to;
    bool aligned;

    __device__ Tensors(Wide const* ownFrom, Narrow* ownTo)
        : from(ownFrom), to(ownTo),
          aligned(isAlignedVector<kWidth>(ownFrom) && isAlignedVector<kWidth>(ownTo)) {}

    __device__ void load(int64_t vector, Vector<Wide, kWidth>& held) const {
        if (aligned) {
            held = loadVector<kWidth>(from, vector);
            return;
        }
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            held.at[i] = from[vector * kWidth + i];
        }
    }
    __device__ void store(int64_t vector, float (&numbers)[kWidth],
                          BlockQuantizer const& quantizer) const {
        if (aligned) {
            vectorAt<kWidth>(to, vector) = quantizer.vector(numbers);
            return;
        }
        int64_t const first = vector * kWidth;
#pragma unroll
        for (int i = 0; i < kWidth; i += 2) {
            storeTwo(to, first + i, first + kWidth, [&](int64_t at) {
                return quantizer.number(at == first + i ? numbers[i] : numbers[i + 1]);
            });
        }
    }
};

__device__ inline float largestOf(float const (&numbers)[kWidth]) {
    float largest = fabsf(numbers[0]);
#pragma unroll
    for (int i = 1; i < kWidth; ++i) {
        largest = largerMagnitude(largest, fabsf(numbers[i]));
    }
    return largest;
}

/// Blocks of neighbours, each of 2^laneBits vectors, one for each lane.
KILN_KERNEL void quantize_lanes(Wide const* from KILN_FACTORS, Narrow* to, Scale* scales,
                                KILN_IN_PLACE Arguments arguments) {
    float const factor = KILN_FACTOR_VALUE;
    Tensors const tensors(from, to);
    int const lanes = 1 << arguments.laneBits;
    int64_t const vectors = arguments.blocks.count / kWidth;
    int64_t const perBlock = static_cast<int64_t>(blockDim.x) * kSlots;
    for (int64_t base = blockIdx.x * perBlock; base < vectors; base += gridDim.x * perBlock) {
        Vector<Wide, kWidth> held[kSlots];
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot) {
            held[slot] = Vector<Wide, kWidth>{};
            int64_t const vector = base + slot * static_cast<int>(blockDim.x) + threadIdx.x;
            if (vector < vectors) {
                tensors.load(vector, held[slot]);
            }
        }
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot) {
            int64_t const vector = base + slot * static_cast<int>(blockDim.x) + threadIdx.x;
            float numbers[kWidth];
            Coded<Wide>::decode(held[slot], numbers);
            float largest = largestOf(numbers);
            for (int step = lanes / 2; step > 0; step >>= 1) {
                largest = largerMagnitude(__shfl_xor_sync(kAllLanes, largest, step), largest);
            }
            if (vector < vectors) {
                Scale const scale = elementOf<Scale>(largest / (KILN_MOST * factor));
                if ((vector & (lanes - 1)) == 0) {
                    scales[vector >> arguments.laneBits] = scale;
                }
                tensors.store(vector, numbers, BlockQuantizer(toFloat(scale) * factor));
            }
        }
    }
}

/// Blocks of neighbours, each for 256 threads, which read it twice.
KILN_KERNEL void quantize_threads(Wide const* from KILN_FACTORS, Narrow* to, Scale* scales,
                                  KILN_IN_PLACE Arguments arguments) {
    __shared__ float largestOfWarps[8];
    float const factor = KILN_FACTOR_VALUE;
    Tensors const tensors(from, to);
    int const thread = static_cast<int>(threadIdx.x);
    int64_t const vectors = arguments.run / kWidth;
    for (int64_t block = blockIdx.x; block < arguments.scaleCount; block += gridDim.x) {
        int64_t const first = block * vectors;
        float largest = 0.0F;
        for (int64_t i = thread; i < vectors; i += 256) {
            Vector<Wide, kWidth> held;
            tensors.load(first + i, held);
            float numbers[kWidth];
            Coded<Wide>::decode(held, numbers);
            largest = largerMagnitude(largest, largestOf(numbers));
        }
        for (int step = 16; step > 0; step >>= 1) {
            largest = largerMagnitude(__shfl_xor_sync(kAllLanes, largest, step), largest);
        }
        if (thread % 32 == 0) {
            largestOfWarps[thread / 32] = largest;
        }
        __syncthreads();
        for (int i = 0; i < 8; ++i) {
            largest = largerMagnitude(largest, largestOfWarps[i]);
        }
        __syncthreads(); // the next block writes to them
        Scale const scale = elementOf<Scale>(largest / (KILN_MOST * factor));
        if (thread == 0) {
            scales[block] = scale;
        }
        BlockQuantizer const quantizer(toFloat(scale) * factor);
        for (int64_t i = thread; i < vectors; i += 256) {
            Vector<Wide, kWidth> held;
            tensors.load(first + i, held);
            float numbers[kWidth];
            Coded<Wide>::decode(held, numbers);
            tensors.store(first + i, numbers, quantizer);
        }
    }
}

/// Scales that were found, by the places of elements.
struct ScaleSource {
    typedef RawScale Raw;
    QuantizedBlocks const& blocks;
    Scale const* scales;
    float factor;

    __device__ bool hasLongRuns() const { return blocks.longRuns != 0; }
    __device__ Raw raw(int64_t element) const {
        return {toFloat(scales[scaleIndex(blocks, element)]) * factor, 0.0F};
    }
    __device__ BlockQuantizer made(Raw const& raw) const { return BlockQuantizer(raw.scale); }
};

/// After the scales: blocks that vectors do not leave.
KILN_KERNEL void quantize_runs(Wide const* from KILN_FACTORS, Narrow* to, Scale* scales,
                               KILN_IN_PLACE Arguments arguments) {
    ScaleSource const source{arguments.blocks, scales, KILN_FACTOR_VALUE};
    convertElements<true>(arguments.blocks.count, from, to, source);
}

/// After the scales: any blocks.
KILN_KERNEL void quantize_any(Wide const* from KILN_FACTORS, Narrow* to, Scale* scales,
                              KILN_IN_PLACE Arguments arguments) {
    ScaleSource const source{arguments.blocks, scales, KILN_FACTOR_VALUE};
    convertElements<false>(arguments.blocks.count, from, to, source);
}
