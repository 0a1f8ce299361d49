// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// LRN: x / (k + alpha / window * sum of squares) ^ beta over neighbouring channels of [outer,
// channels, inner], computed in float. `lrn_walk`, for short windows: a thread passes over channels
// of four neighbouring columns and holds those of one window, so that it reads each element once.
// `lrn`: a thread computes a pack of 16 bytes, and threads read neighbouring packs. `_single`: one
// column. KILN_ELEMENT: the type; KILN_WINDOW: of lrn_walk, or 0; KILN_ROOTS: whether beta is 3/4,
// the power of two square roots.
#include "fast_divide.cuh"
#include "flat.cuh"
#include "pairs.cuh"
#include "power.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;

struct Arguments {
    int64_t count;
    int64_t channels;
    int64_t inner;
    int64_t before; ///< channels of a window in front of its own
    int64_t behind;
    float factor; ///< alpha / window
    float beta;
    float k;
    int32_t channelsOfThread; ///< of lrn_walk
    FastDivide byAcross;      ///< packs of a channel
    FastDivide byWalks;       ///< threads for all channels
};

/// x / base ^ beta. Not inlined if few elements need it.
#if KILN_ROOTS
__device__ __noinline__
#else
__device__ inline
#endif
float quotientByPower(float x, float base, float beta) {
    return x / power<sizeof(Element) == 2>(base, beta);
}

/// A pack of results from the numbers and the sums of squares around them.
template <int kWidth>
__device__ inline Pack<Element, kWidth> divided(Arguments const& arguments,
                                                float const (&numbers)[kWidth],
                                                float (&sums)[kWidth]) {
    float results[kWidth];
    bool usual = false;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
        sums[k] = arguments.k + arguments.factor * sums[k];
    }
#if KILN_ROOTS && defined(__CUDA_ARCH__)
    usual = true;
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
        usual = usual && sums[k] > 1e-30F && sums[k] < 1e30F;
    }
    if (usual) {
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            float root;
            float second;
            asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(sums[k]));
            asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(second) : "f"(root));
            results[k] = numbers[k] * (root * (root * second));
        }
    }
#endif
    if (!usual) {
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            results[k] = quotientByPower(numbers[k], sums[k], arguments.beta);
        }
    }
    Pack<Element, kWidth> pack;
    if constexpr (kWidth == 1) {
        pack.at[0] = fromFloat<Element>(results[0]);
    } else {
#pragma unroll
        for (int k = 0; k < kWidth; k += 2) {
            storePair(pack.at + k, results[k], results[k + 1]);
        }
    }
    return pack;
}

template <int kWidth>
__device__ inline void normalize(Element const* from, Element* to, Arguments const& arguments) {
    bool const aligned = beginsVector<kWidth>(from) && beginsVector<kWidth>(to);
    int64_t const across = arguments.inner / kWidth;
    int64_t const count = arguments.count / kWidth;
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const plane = quotient(index, across);
        int64_t const channel = plane - quotient(plane, arguments.channels) * arguments.channels;
        int64_t const first = channel < arguments.before ? channel : arguments.before;
        int64_t const rest = arguments.channels - 1 - channel;
        int64_t const last = rest < arguments.behind ? rest : arguments.behind;
        Element const* const source = from + index * kWidth;
        float sums[kWidth];
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            sums[k] = 0.0F;
        }
        for (int64_t i = -first; i <= last; ++i) {
            auto const pack = loadPack<kWidth>(source + i * arguments.inner, aligned);
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                float const x = toFloat(pack.at[k]);
                sums[k] += x * x;
            }
        }
        auto const pack = loadPack<kWidth>(source, aligned);
        float numbers[kWidth];
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            numbers[k] = toFloat(pack.at[k]);
        }
        storePack(to + index * kWidth, divided<kWidth>(arguments, numbers, sums), aligned);
    }
}

KILN_KERNEL void lrn(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {
    normalize<widthFor(sizeof(Element))>(from, to, arguments);
}

KILN_KERNEL void lrn_single(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {
    normalize<1>(from, to, arguments);
}

#if KILN_WINDOW
template <int kWidth>
__device__ inline void walk(Element const* from, Element* to, Arguments const& arguments) {
    constexpr int kBefore = (KILN_WINDOW - 1) / 2;
    constexpr int kBehind = KILN_WINDOW - 1 - kBefore;
    int64_t const across = arguments.byAcross.divisor;
    int64_t const walks = arguments.byWalks.divisor;
    bool const aligned = beginsVector<kWidth>(from) && beginsVector<kWidth>(to);
    int64_t const index = threadIndex();
    int64_t const line = quotient(index, across);
    int64_t const stack = quotient(line, walks);
    if (stack * arguments.channels * arguments.inner >= arguments.count) {
        return;
    }
    int const channels = static_cast<int>(arguments.channels);
    int const first = static_cast<int>(line - stack * walks) * arguments.channelsOfThread;
    int const end = first + arguments.channelsOfThread < channels
                        ? first + arguments.channelsOfThread
                        : channels;
    int64_t const begin =
        (stack * channels + first) * arguments.inner + (index - line * across) * kWidth;
    Element const* source = inGlobalMemory(from) + begin - kBefore * arguments.inner;
    Element* target = to + begin;

    // Numbers of the channels around the own one; that of channel c is at c - first + kBefore,
    // modulo the window.
    float held[KILN_WINDOW][kWidth];
    auto const fetch = [&](int channel, float (&numbers)[kWidth]) {
        if (channel >= 0 && channel < channels) {
            auto const pack = loadPack<kWidth>(source, aligned);
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                numbers[k] = toFloat(pack.at[k]);
            }
        } else {
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                numbers[k] = 0.0F;
            }
        }
        source += arguments.inner;
    };
#pragma unroll
    for (int i = 0; i < KILN_WINDOW - 1; ++i) {
        fetch(first - kBefore + i, held[i]);
    }
    for (int start = first; start < end; start += KILN_WINDOW) {
#pragma unroll
        for (int step = 0; step < KILN_WINDOW; ++step) {
            if (start + step >= end) {
                return;
            }
            fetch(start + step + kBehind, held[(step + KILN_WINDOW - 1) % KILN_WINDOW]);
            float sums[kWidth];
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                sums[k] = 0.0F;
#pragma unroll
                for (int i = 0; i < KILN_WINDOW; ++i) {
                    float const x = held[(step + i) % KILN_WINDOW][k];
                    sums[k] += x * x;
                }
            }
            storePack(target,
                      divided<kWidth>(arguments, held[(step + kBefore) % KILN_WINDOW], sums),
                      aligned);
            target += arguments.inner;
        }
    }
}

KILN_KERNEL void __launch_bounds__(256)
    lrn_walk(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {
    walk<4>(from, to, arguments);
}

KILN_KERNEL void __launch_bounds__(256)
    lrn_walk_single(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {
    walk<1>(from, to, arguments);
}
#endif
