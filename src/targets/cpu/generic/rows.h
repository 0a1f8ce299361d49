// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The passes of a softmax over a row.

#if defined(__AVX512F__)
/// combine() of all lanes, in each lane.
template <typename Combine>
static inline Vector combinedLanes(Vector x, Combine combine) noexcept {
    x = combine(
        x, __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    x = combine(
        x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    x = combine(
        x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    return combine(
        x, __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
}
#endif

static inline float sumOfLanes(Vector x) noexcept {
#if defined(__AVX512F__)
    return combinedLanes(x, [](Vector a, Vector b) noexcept { return a + b; })[0];
#else
    float sum = 0.0F;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        sum += x[lane];
    }
    return sum;
#endif
}

/// Of lanes that are no NaN.
static inline float largestLane(Vector x) noexcept {
#if defined(__AVX512F__)
    return combinedLanes(x, [](Vector a, Vector b) noexcept { return largerOf(a, b); })[0];
#else
    float result = x[0];
    for (int64_t lane = 1; lane < kLanes; ++lane) {
        result = x[lane] > result ? x[lane] : result;
    }
    return result;
#endif
}

static float expArray(float const* from, float shift, float* to, int64_t count) noexcept {
    Vector sums = {};
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Vector const value = expVector(loadVector(from + i) - shift);
        storeVector(to + i, value);
        sums += value;
    }
    if (i < count) {
        Vector const value = expVector(loadPart(from + i, count - i) - shift);
        storePart(to + i, value, count - i);
        sums += loadPart(to + i, count - i);
    }
    return sumOfLanes(sums);
}

static float maximumArray(float const* from, int64_t count) noexcept {
    Vector largest[2] = {splat(-__builtin_inff()), splat(-__builtin_inff())};
    int64_t i = 0;
    for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
        largest[0] = largerOf(loadVector(from + i), largest[0]);
        largest[1] = largerOf(loadVector(from + i + kLanes), largest[1]);
    }
    largest[0] = largerOf(largest[0], largest[1]);
    if (i + kLanes <= count) {
        largest[0] = largerOf(loadVector(from + i), largest[0]);
        i += kLanes;
    }
    float result = largestLane(largest[0]);
    for (; i < count; ++i) {
        result = from[i] > result ? from[i] : result;
    }
    return result;
}

/// exp(x) for x <= 0; what would be no normal number is 0. Such numbers, as a mask of -100 gives
/// them, slow down the product behind a softmax tenfold, and are below any rounding of its sums.
static inline Vector expBelowOne(Vector x) noexcept {
    auto const [n, r] = reduced(largerOf(splat(-104.5F), x));
    return x < splat(-87.3F) ? Vector{} : expReduced(n, r);
}

/// expArray for from[i] <= shift, which also fetches the row behind this one: a softmax takes the
/// rows of large tensors one after the other, and its first pass would wait for the memory.
static float expOfRow(float const* from, float shift, float* to, int64_t count) noexcept {
    Vector sums = {};
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        __builtin_prefetch(from + count + i);
        __builtin_prefetch(to + count + i, 1);
        Vector const value = expBelowOne(loadVector(from + i) - shift);
        storeVector(to + i, value);
        sums += value;
    }
    if (i < count) {
        Vector const value = expBelowOne(loadPart(from + i, count - i) - shift);
        storePart(to + i, value, count - i);
        sums += loadPart(to + i, count - i);
    }
    return sumOfLanes(sums);
}

static void softmaxRow(float const* from, float* to, int64_t count) noexcept {
    float const sum = expOfRow(from, maximumArray(from, count), to, count);
    Vector const factor = splat(1.0F / sum);
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        storeVector(to + i, loadVector(to + i) * factor);
    }
    if (i < count) {
        storePart(to + i, loadPart(to + i, count - i) * factor, count - i);
    }
}
