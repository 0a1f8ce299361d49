// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of attention over tiles of scores, [keys][kTileColumns]: queries lie in lanes, so that
// maxima and sums over the keys need no operation across lanes. Both products read keys and values
// where they are, with any strides. And the parts for single queries. The maximum and the sum of
// the keys so far are carried along as in Milakov and Gimelshein, "Online normalizer calculation
// for softmax", 2018.

template <int64_t kRows, bool kAdds>
static void stridedGroup(int64_t depth, float const* a, int64_t rowStep, int64_t depthStep,
                         float const* b, float* c) noexcept {
    Vector sums[kRows][2];
    for (auto& row : sums) { // "= {}" would also clear them in memory
        row[0] = row[1] = Vector{};
    }
    for (int64_t k = 0; k < depth; ++k) {
        Vector const first = loadVector(b + k * kTileColumns);
        Vector const second = loadVector(b + k * kTileColumns + kLanes);
        float const* const factors = a + k * depthStep;
        for (int64_t row = 0; row < kRows; ++row) {
            float const factor = factors[row * rowStep];
            sums[row][0] += factor * first;
            sums[row][1] += factor * second;
        }
    }
    for (int64_t row = 0; row < kRows; ++row) {
        float* const to = c + row * kTileColumns;
        if constexpr (kAdds) {
            addVector(to, sums[row][0]);
            addVector(to + kLanes, sums[row][1]);
        } else {
            storeVector(to, sums[row][0]);
            storeVector(to + kLanes, sums[row][1]);
        }
    }
}

/// The remaining rows, at most kRows.
template <int64_t kRows, bool kAdds>
static void stridedRest(int64_t rows, int64_t depth, float const* a, int64_t rowStep,
                        int64_t depthStep, float const* b, float* c) noexcept {
    if constexpr (kRows > 0) {
        if (rows == kRows) {
            stridedGroup<kRows, kAdds>(depth, a, rowStep, depthStep, b, c);
        } else {
            stridedRest<kRows - 1, kAdds>(rows, depth, a, rowStep, depthStep, b, c);
        }
    }
}

template <bool kAdds>
static void stridedProduct(int64_t rows, int64_t columns, int64_t depth, float const* a,
                           int64_t rowStep, int64_t depthStep, float const* b, float* c) noexcept {
    for (int64_t column = 0; column < columns; column += kGroup) {
        for (int64_t row = 0; row < rows; row += kRowsAtOnce) {
            stridedRest<kRowsAtOnce, kAdds>(rows - row < kRowsAtOnce ? rows - row : kRowsAtOnce,
                                            depth, a + row * rowStep, rowStep, depthStep,
                                            b + column, c + row * kTileColumns + column);
        }
    }
}

/// Adds a number to each row of scores.
static void addToRows(int64_t rows, int64_t columns, float const* numbers, float* scores) noexcept {
    for (int64_t row = 0; row < rows; ++row) {
        Vector const number = splat(numbers[row]);
        for (int64_t column = 0; column < columns; column += kLanes) {
            addVector(scores + row * kTileColumns + column, number);
        }
    }
}

static void softmaxStep(int64_t keys, int64_t columns, float* scores, float* maxima, float* sums,
                        float* factors) noexcept {
    Vector const none = splat(-__builtin_inff());
    for (int64_t column = 0; column < columns; column += kLanes) {
        float* const top = scores + column;
        Vector const before = loadVector(maxima + column);
        Vector largest[4] = {before, before, before, before};
        int64_t key = 0;
        for (; key + 4 <= keys; key += 4) {
            for (int64_t i = 0; i < 4; ++i) {
                largest[i] = largerOf(loadVector(top + (key + i) * kTileColumns), largest[i]);
            }
        }
        for (; key < keys; ++key) {
            largest[0] = largerOf(loadVector(top + key * kTileColumns), largest[0]);
        }
        Vector const after =
            largerOf(largerOf(largest[0], largest[1]), largerOf(largest[2], largest[3]));
        // If no key is seen yet, all powers must be 0, not NaN.
        Vector const shift = after == none ? Vector{} : after;
        Vector sum[2] = {};
        for (key = 0; key + 2 <= keys; key += 2) {
            for (int64_t i = 0; i < 2; ++i) {
                float* const at = top + (key + i) * kTileColumns;
                Vector const power = expVector(loadVector(at) - shift);
                storeVector(at, power);
                sum[i] += power;
            }
        }
        if (key < keys) {
            float* const at = top + key * kTileColumns;
            Vector const power = expVector(loadVector(at) - shift);
            storeVector(at, power);
            sum[0] += power;
        }
        Vector const factor = expVector(before - shift);
        storeVector(maxima + column, after);
        storeVector(factors + column, factor);
        storeVector(sums + column, loadVector(sums + column) * factor + (sum[0] + sum[1]));
    }
}

static void scaleColumns(int64_t rows, int64_t columns, float const* factors,
                         float* values) noexcept {
    for (int64_t column = 0; column < columns; column += kLanes) {
        Vector const factor = loadVector(factors + column);
        for (int64_t row = 0; row < rows; ++row) {
            float* const at = values + row * kTileColumns + column;
            storeVector(at, loadVector(at) * factor);
        }
    }
}

/// The sum of the lanes, in pairs.
static inline float treeSum(Vector x) noexcept {
    constexpr int64_t kFour = 4;
    typedef float Four __attribute__((vector_size(kFour * sizeof(float))));
    Four parts[kLanes / kFour];
    __builtin_memcpy(parts, &x, sizeof(x));
    for (int64_t count = kLanes / kFour / 2; count > 0; count /= 2) {
        for (int64_t i = 0; i < count; ++i) {
            parts[i] += parts[i + count];
        }
    }
    return (parts[0][0] + parts[0][1]) + (parts[0][2] + parts[0][3]);
}

/// kRows rows of y at once hide the latency of the sums.
template <int64_t kRows>
static void dotsOf(float const* x, float const* y, int64_t step, int64_t size, float* to) noexcept {
    Vector sums[kRows] = {};
    int64_t i = 0;
    for (; i + kLanes <= size; i += kLanes) {
        Vector const factor = loadVector(x + i);
        for (int64_t row = 0; row < kRows; ++row) {
            sums[row] += factor * loadVector(y + row * step + i);
        }
    }
    if (i < size) {
        Vector const factor = loadPart(x + i, size - i);
        for (int64_t row = 0; row < kRows; ++row) {
            sums[row] += factor * loadPart(y + row * step + i, size - i);
        }
    }
    for (int64_t row = 0; row < kRows; ++row) {
        to[row] = treeSum(sums[row]);
    }
}

static void dotsArray(float const* x, float const* y, int64_t step, int64_t size, int64_t count,
                      float* to) noexcept {
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        dotsOf<8>(x, y + i * step, step, size, to + i);
    }
    for (; i < count; ++i) {
        dotsOf<1>(x, y + i * step, step, size, to + i);
    }
}

/// The sum is added at the end: a short chain of roundings, whatever `to` has summed before.
template <int64_t kVectors>
static void weightedGroup(float const* weights, int64_t count, float const* x, int64_t step,
                          float* to) noexcept {
    Vector sums[kVectors];
    for (auto& sum : sums) {
        sum = Vector{};
    }
    for (int64_t row = 0; row < count; ++row) {
        for (int64_t i = 0; i < kVectors; ++i) {
            sums[i] += weights[row] * loadVector(x + row * step + i * kLanes);
        }
    }
    for (int64_t i = 0; i < kVectors; ++i) {
        addVector(to + i * kLanes, sums[i]);
    }
}

static void weightedSum(float const* weights, int64_t count, float const* x, int64_t step,
                        int64_t width, float* to) noexcept {
    int64_t i = 0;
    for (; i + 4 * kLanes <= width; i += 4 * kLanes) {
        weightedGroup<4>(weights, count, x + i, step, to + i);
    }
    for (; i + kLanes <= width; i += kLanes) {
        weightedGroup<1>(weights, count, x + i, step, to + i);
    }
    if (i < width) {
        Vector sum = {};
        for (int64_t row = 0; row < count; ++row) {
            sum += weights[row] * loadPart(x + row * step + i, width - i);
        }
        storePart(to + i, loadPart(to + i, width - i) + sum, width - i);
    }
}
