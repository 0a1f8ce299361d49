// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The passes of a softmax over a row.

static float expArray(float const* from, float shift, float* to, int64_t count) noexcept {
    Vector sums = {};
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Vector const value = expVector(loadVector(from + i) - shift);
        __builtin_memcpy(to + i, &value, sizeof(value));
        sums += value;
    }
    float sum = 0.0F;
    if (i < count) { // the last vector, padded with zeros
        float last[kLanes] = {};
        __builtin_memcpy(last, from + i, static_cast<unsigned long>(count - i) * sizeof(float));
        Vector const value = expVector(loadVector(last) - shift);
        __builtin_memcpy(last, &value, sizeof(value));
        __builtin_memcpy(to + i, last, static_cast<unsigned long>(count - i) * sizeof(float));
        for (int64_t lane = 0; lane < count - i; ++lane) {
            sum += last[lane];
        }
    }
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        sum += sums[lane];
    }
    return sum;
}

static float maximumArray(float const* from, int64_t count) noexcept {
    Vector largest = Vector{} - __builtin_inff();
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Vector const value = loadVector(from + i);
        largest = value > largest ? value : largest;
    }
    float result = -__builtin_inff();
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        result = largest[lane] > result ? largest[lane] : result;
    }
    for (; i < count; ++i) {
        result = from[i] > result ? from[i] : result;
    }
    return result;
}
