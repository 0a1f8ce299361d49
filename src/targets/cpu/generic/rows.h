// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The passes of a softmax over a row.

static inline float sumOfLanes(Vector x) noexcept {
    float sum = 0.0F;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        sum += x[lane];
    }
    return sum;
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
        float last[kLanes] = {};
        Vector const value = expVector(loadPart(from + i, count - i) - shift);
        storePart(to + i, value, count - i);
        storePart(last, value, count - i);
        sums += loadVector(last);
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
    float result = -__builtin_inff();
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        result = largest[0][lane] > result ? largest[0][lane] : result;
    }
    for (; i < count; ++i) {
        result = from[i] > result ? from[i] : result;
    }
    return result;
}

static void softmaxRow(float const* from, float* to, int64_t count) noexcept {
    float const sum = expArray(from, maximumArray(from, count), to, count);
    Vector const factor = splat(1.0F / sum);
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        storeVector(to + i, loadVector(to + i) * factor);
    }
    if (i < count) {
        storePart(to + i, loadPart(to + i, count - i) * factor, count - i);
    }
}
