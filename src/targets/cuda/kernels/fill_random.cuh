// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// fill with random numbers: uniform from alpha to beta, or normal with mean alpha and deviation
// beta. Number i of a run is a function of seed, run and i by Philox4x32-10 (Salmon et al.,
// Parallel random numbers: as easy as 1, 2, 3, 2011). A thread makes one number from each of the
// four words of a counter, or two if they are uniform and have 16 bits, and stores 16 bytes. The
// first launch counts the runs and puts the number of this one into the workspace. All arithmetic
// is that of float, rounded after each operation, as in targets/cpu/random_numbers.h: both targets
// give the same numbers.
// Macros: KILN_ELEMENT, the type; KILN_NORMAL (0 or 1); KILN_INPUTS, KILN_ALPHA, KILN_BETA as in
// fill.cuh.
#include "flat.cuh"
#include "numbers.cuh"
#include "pairs.cuh"

typedef KILN_ELEMENT Element;

/// Numbers of a counter, and counters of a thread at once: 16 bytes of numbers.
constexpr int kOfCounter = KILN_NORMAL == 0 && sizeof(Element) == 2 ? 8 : 4;
constexpr int kCounters = 16 / static_cast<int>(sizeof(Element)) / kOfCounter;

struct Arguments {
    int64_t count;
    uint64_t seed;
    float alpha; ///< used if they are not operands
    float beta;
    int32_t bits; ///< of a number in [0, 1) that the type represents exactly
    int32_t unused;
};

__device__ inline float plus(float a, float b) {
    return __fadd_rn(a, b);
}
__device__ inline float times(float a, float b) {
    return __fmul_rn(a, b);
}

struct Words {
    uint32_t at[4];
};

/// For the C++ product, the compiler adds 0 to each high word.
__device__ inline uint64_t product(uint32_t a, uint32_t b) {
#ifdef __CUDA_ARCH__
    uint64_t result;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(result) : "r"(a), "r"(b));
    return result;
#else
    return static_cast<uint64_t>(a) * b;
#endif
}

__device__ inline Words randomWords(uint64_t seed, uint64_t run, uint64_t counter) {
    Words words{{static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                 static_cast<uint32_t>(run), static_cast<uint32_t>(run >> 32)}};
    uint32_t key0 = static_cast<uint32_t>(seed);
    uint32_t key1 = static_cast<uint32_t>(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        uint64_t const a = product(0xD2511F53U, words.at[0]);
        uint64_t const b = product(0xCD9E8D57U, words.at[2]);
        words = {{static_cast<uint32_t>(b >> 32) ^ words.at[1] ^ key0, static_cast<uint32_t>(b),
                  static_cast<uint32_t>(a >> 32) ^ words.at[3] ^ key1, static_cast<uint32_t>(a)}};
        key0 += 0x9E3779B9U;
        key1 += 0xBB67AE85U;
    }
    return words;
}

__device__ inline float polynomial(float x, float const* coefficients, int count) {
    float result = coefficients[0];
#pragma unroll
    for (int i = 1; i < count; ++i) {
        result = plus(times(result, x), coefficients[i]);
    }
    return result;
}

/// sqrt(-2 ln(u)) for u = (word + 1/2) / 2^32, to about 2^-22.
__device__ inline float normalRadius(uint32_t word) {
    constexpr float kLogarithm[] = {7.0376836292e-2F,  -1.1514610310e-1F, 1.1676998740e-1F,
                                    -1.2420140846e-1F, 1.4249322787e-1F,  -1.6668057665e-1F,
                                    2.0000714765e-1F,  -2.4999993993e-1F, 3.3333331174e-1F};
    float const u = plus(times(static_cast<float>(static_cast<int32_t>(word >> 8)), 0x1p-24F),
                         0x1p-25F);
    int32_t const bits = static_cast<int32_t>(__float_as_uint(u)) - 0x3F3504F3; // sqrt(1/2)
    int32_t const exponent = bits >> 23;
    float const m =
        plus(__uint_as_float(static_cast<uint32_t>((bits & 0x7FFFFF) + 0x3F3504F3)), -1.0F);
    float const square = times(m, m);
    float const tail = plus(times(times(polynomial(m, kLogarithm, 9), m), square),
                            -times(0.5F, square));
    float const ln = plus(times(static_cast<float>(exponent), 0.693147182F), plus(m, tail));
    return __fsqrt_rn(times(-2.0F, ln));
}

/// Cosine and sine of 2 pi word / 2^32.
__device__ inline void directionOf(uint32_t word, float& cosine, float& sine) {
    constexpr float kSine[] = {-1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F};
    constexpr float kCosine[] = {2.443315711809948e-5F, -1.388731625493765e-3F,
                                 4.166664568298827e-2F};
    uint32_t const shifted = word + 0x20000000U;
    uint32_t const quarter = shifted >> 30;
    int32_t const rest = static_cast<int32_t>(shifted & 0x3FFFFFFFU) - 0x20000000;
    float const x = times(times(static_cast<float>(rest), 0x1p-30F), 1.57079637F);
    float const z = times(x, x);
    float const s = plus(times(times(polynomial(z, kSine, 3), z), x), x);
    float const c =
        plus(plus(times(times(polynomial(z, kCosine, 3), z), z), -times(0.5F, z)), 1.0F);
    bool const swaps = (quarter & 1U) != 0;
    cosine = swaps ? s : c;
    sine = swaps ? c : s;
    cosine = quarter == 1 || quarter == 2 ? -cosine : cosine;
    sine = quarter >= 2 ? -sine : sine;
}

/// What all numbers of a thread share.
struct Numbers {
    uint64_t seed;
    uint64_t run;
    float mean;
    float factor;
    float scaled; ///< the factor times 2^-bits
    int shift;
    bool isExact; ///< no digit of `scaled` is lost, so that one product does for two
    bool isFused; ///< nor of any number times it, so that its sum with the mean is rounded once

    __device__ Numbers(Arguments const& arguments, float mean, float factor, uint64_t run)
        : seed(arguments.seed), run(run), mean(mean), factor(factor), shift(32 - arguments.bits) {
        scaled = times(factor, unit());
        isExact = times(scaled, __uint_as_float(static_cast<uint32_t>(159 - shift) << 23)) ==
                  factor;
        uint32_t const low = (1U << (arguments.bits < 23 ? arguments.bits : 23)) - 1U;
        isFused = KILN_NORMAL == 0 && isExact && (__float_as_uint(scaled) & low) == 0;
    }
    __device__ float unit() const {
        return __uint_as_float(static_cast<uint32_t>(95 + shift) << 23);
    }
    /// A whole number times 2^-bits, in [0, 1), times the factor.
    __device__ float uniform(uint32_t word) const {
        float const whole = static_cast<float>(static_cast<int32_t>(word >> shift));
        return isExact ? times(whole, scaled) : times(times(whole, unit()), factor);
    }
    /// The number of a word.
    template <bool kFused>
    __device__ float ofWord(uint32_t word) const {
        return kFused ? fmaf(static_cast<float>(static_cast<int32_t>(word >> shift)), scaled, mean)
                      : plus(uniform(word), mean);
    }
    /// The numbers of a counter.
    template <bool kFused>
    __device__ void make(uint64_t counter, Element* to) const {
        Words const words = randomWords(seed, run, counter);
#pragma unroll
        for (int k = 0; k < kOfCounter; k += 2) {
            float first;
            float second;
#if KILN_NORMAL
            float const radius = normalRadius(words.at[k]);
            directionOf(words.at[k + 1], first, second);
            first = plus(times(times(radius, first), factor), mean);
            second = plus(times(times(radius, second), factor), mean);
#else
            first = ofWord<kFused>(words.at[k * 4 / kOfCounter]);
            second = ofWord<kFused>(kOfCounter == 8 ? words.at[k / 2] << 16 : words.at[k + 1]);
#endif
            storePair(to + k, first, second);
        }
    }
};

#if KILN_INPUTS > 2
#define KILN_OPERANDS void const *, Element const *alpha, Element const *beta,
#elif KILN_INPUTS > 1
#define KILN_OPERANDS void const *, Element const *alpha,
#elif KILN_INPUTS > 0
#define KILN_OPERANDS void const *,
#else
#define KILN_OPERANDS
#endif

/// Launched with one thread.
KILN_KERNEL void count_run(KILN_OPERANDS Element*, void* work, int64_t* runs, Arguments) {
    *static_cast<int64_t*>(work) = *runs;
    *runs += 1;
}

template <bool kFused>
__device__ inline void fillNumbers(Numbers const& numbers, int64_t count, Element* to) {
    constexpr int kWidth = kOfCounter * kCounters;
    int64_t const packs = beginsVector<kWidth>(to) ? count / kWidth : 0;
    for (int64_t i = threadIndex(); i < packs; i += threadCount()) {
        Pack<Element, kWidth> pack;
#pragma unroll
        for (int k = 0; k < kCounters; ++k) {
            numbers.make<kFused>(static_cast<uint64_t>(i * kCounters + k),
                                 pack.at + kOfCounter * k);
        }
        reinterpret_cast<Pack<Element, kWidth>*>(to)[i] = pack;
    }
    for (int64_t i = packs * kCounters + threadIndex(); kOfCounter * i < count;
         i += threadCount()) {
        Element some[kOfCounter];
        numbers.make<kFused>(static_cast<uint64_t>(i), some);
#pragma unroll
        for (int k = 0; k < kOfCounter; ++k) {
            if (kOfCounter * i + k < count) {
                to[kOfCounter * i + k] = some[k];
            }
        }
    }
}

KILN_KERNEL void fill_random(KILN_OPERANDS Element* to, void* work, int64_t*,
                             Arguments arguments) {
    float mean = arguments.alpha;
    float limit = arguments.beta;
#if KILN_ALPHA
    mean = toFloat(*alpha);
#endif
#if KILN_BETA
    limit = toFloat(*beta);
#endif
    Numbers const numbers(arguments, mean, KILN_NORMAL != 0 ? limit : plus(limit, -mean),
                          static_cast<uint64_t>(*static_cast<int64_t const*>(work)));
#if !KILN_NORMAL
    if (numbers.isFused) {
        fillNumbers<true>(numbers, arguments.count, to);
        return;
    }
#endif
    fillNumbers<false>(numbers, arguments.count, to);
}
