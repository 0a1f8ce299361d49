// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sums, products and extremes of arrays, and statistics of rows. A NaN stays.

template <FoldFunction kFold>
constexpr double kNeutral = kFold == FoldFunction::kSum       ? 0.0
                            : kFold == FoldFunction::kProduct ? 1.0
                            : kFold == FoldFunction::kMaximum ? -__builtin_inf()
                                                              : __builtin_inf();

template <FoldFunction kFold, typename Number>
static inline Number folded(Number x, Number y) noexcept {
    switch (kFold) {
    case FoldFunction::kSum: return x + y;
    case FoldFunction::kProduct: return x * y;
    case FoldFunction::kMaximum: return x > y ? x : (x == x ? y : x);
    case FoldFunction::kMinimum: return x < y ? x : (x == x ? y : x);
    }
    return x;
}

template <FoldFunction kFold>
static inline Vector foldedVectors(Vector x, Vector y) noexcept {
    if constexpr (kFold == FoldFunction::kMaximum) {
        return x == x ? largerOf(x, y) : x;
    } else if constexpr (kFold == FoldFunction::kMinimum) {
        return x == x ? smallerOf(x, y) : x;
    } else {
        return folded<kFold>(x, y);
    }
}

static inline HalfVector loadHalf(float const* from) noexcept {
    HalfVector result;
    __builtin_memcpy(&result, from, sizeof(result));
    return result;
}

/// Four independent totals hide the latency of the additions.
template <FoldFunction kFold>
static double foldWide(float const* x, int64_t count) noexcept {
    constexpr int64_t kHalf = kLanes / 2;
    constexpr bool kSums = kFold == FoldFunction::kSum;
    WideVector const start = WideVector{} + (kSums ? 0.0 : 1.0);
    WideVector totals[4] = {start, start, start, start};
    int64_t i = 0;
    for (; i + 4 * kHalf <= count; i += 4 * kHalf) {
        for (int64_t k = 0; k < 4; ++k) {
            totals[k] = folded<kFold>(totals[k], widened(loadHalf(x + i + k * kHalf)));
        }
    }
    for (; i + kHalf <= count; i += kHalf) {
        totals[0] = folded<kFold>(totals[0], widened(loadHalf(x + i)));
    }
    WideVector const both =
        folded<kFold>(folded<kFold>(totals[0], totals[1]), folded<kFold>(totals[2], totals[3]));
    double result = kNeutral<kFold>;
    for (int64_t lane = 0; lane < kHalf; ++lane) {
        result = folded<kFold>(result, both[lane]);
    }
    for (; i < count; ++i) {
        result = folded<kFold>(result, static_cast<double>(x[i]));
    }
    return result;
}

template <FoldFunction kFold>
static double foldExtreme(float const* x, int64_t count) noexcept {
    Vector const start = splat(static_cast<float>(kNeutral<kFold>));
    Vector totals[2] = {start, start};
    int64_t i = 0;
    for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
        totals[0] = foldedVectors<kFold>(totals[0], loadVector(x + i));
        totals[1] = foldedVectors<kFold>(totals[1], loadVector(x + i + kLanes));
    }
    Vector const both = foldedVectors<kFold>(totals[0], totals[1]);
    auto result = static_cast<float>(kNeutral<kFold>);
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        result = folded<kFold>(result, both[lane]);
    }
    for (; i < count; ++i) {
        result = folded<kFold>(result, x[i]);
    }
    return static_cast<double>(result);
}

template <FoldFunction kFold>
static void accumulateArray(double* totals, float const* x, int64_t count) noexcept {
    constexpr int64_t kHalf = kLanes / 2;
    int64_t i = 0;
    for (; i + kHalf <= count; i += kHalf) {
        WideVector total;
        __builtin_memcpy(&total, totals + i, sizeof(total));
        total = folded<kFold>(total, widened(loadHalf(x + i)));
        __builtin_memcpy(totals + i, &total, sizeof(total));
    }
    for (; i < count; ++i) {
        totals[i] = folded<kFold>(totals[i], static_cast<double>(x[i]));
    }
}

/// Sums of four floats each, which are then added in double: four times as fast as all in double,
/// and one and a half units in the last place of the elements less exact. A sum that overflows is
/// made in double.
static double foldSum(float const* x, int64_t count) noexcept {
    WideVector totals[4] = {};
    int64_t i = 0;
    for (; i + 8 * kLanes <= count; i += 8 * kLanes) {
        for (int64_t k = 0; k < 2; ++k) {
            float const* const from = x + i + k * 4 * kLanes;
            TwoWide const four =
                widened((loadVector(from) + loadVector(from + kLanes)) +
                        (loadVector(from + 2 * kLanes) + loadVector(from + 3 * kLanes)));
            totals[2 * k] += four.low;
            totals[2 * k + 1] += four.high;
        }
    }
    WideVector const both = (totals[0] + totals[1]) + (totals[2] + totals[3]);
    double result = 0.0;
    for (int64_t lane = 0; lane < kLanes / 2; ++lane) {
        result += both[lane];
    }
    result += foldWide<FoldFunction::kSum>(x + i, count - i);
    bool const finite = result - result == 0.0;
    return finite ? result : foldWide<FoldFunction::kSum>(x, count);
}

/// Mean and variance about it, in two passes over the row.
static RowMoments momentsOfRow(float const* x, int64_t count) noexcept {
    constexpr int64_t kHalf = kLanes / 2;
    double const mean = foldWide<FoldFunction::kSum>(x, count) / static_cast<double>(count);
    WideVector totals[4] = {};
    int64_t i = 0;
    for (; i + 4 * kHalf <= count; i += 4 * kHalf) {
        for (int64_t k = 0; k < 4; ++k) {
            WideVector const distance = widened(loadHalf(x + i + k * kHalf)) - mean;
            totals[k] += distance * distance;
        }
    }
    WideVector const both = (totals[0] + totals[1]) + (totals[2] + totals[3]);
    double squares = 0.0;
    for (int64_t lane = 0; lane < kHalf; ++lane) {
        squares += both[lane];
    }
    for (; i < count; ++i) {
        double const distance = static_cast<double>(x[i]) - mean;
        squares += distance * distance;
    }
    return {mean, squares / static_cast<double>(count)};
}

static double sumOfSquares(float const* x, int64_t count) noexcept {
    constexpr int64_t kHalf = kLanes / 2;
    WideVector totals[2] = {};
    int64_t i = 0;
    for (; i + 2 * kHalf <= count; i += 2 * kHalf) {
        WideVector const first = widened(loadHalf(x + i));
        WideVector const second = widened(loadHalf(x + i + kHalf));
        totals[0] += first * first;
        totals[1] += second * second;
    }
    WideVector const both = totals[0] + totals[1];
    double squares = 0.0;
    for (int64_t lane = 0; lane < kHalf; ++lane) {
        squares += both[lane];
    }
    for (; i < count; ++i) {
        squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    return squares;
}

/// to[i] = (x[i] - mean) * factor * scale[i] + shift[i]; scale and shift may be null.
static void normalizeRow(float const* x, double mean, double factor, float const* scale,
                         float const* shift, float* to, int64_t count) noexcept {
    Vector const middle = splat(static_cast<float>(mean));
    Vector const by = splat(static_cast<float>(factor));
    for (int64_t i = 0; i < count; i += kLanes) {
        int64_t const rest = count - i;
        auto const read = [&](float const* from) noexcept {
            return rest >= kLanes ? loadVector(from + i) : loadPart(from + i, rest);
        };
        Vector value = (read(x) - middle) * by;
        if (scale != nullptr) {
            value *= read(scale);
        }
        if (shift != nullptr) {
            value += read(shift);
        }
        if (rest >= kLanes) {
            storeVector(to + i, value);
        } else {
            storePart(to + i, value, rest);
        }
    }
}

static constexpr void fillFolds(Isa& isa) noexcept {
    isa.folds[0] = foldSum;
    isa.folds[1] = foldWide<FoldFunction::kProduct>;
    isa.folds[2] = foldExtreme<FoldFunction::kMaximum>;
    isa.folds[3] = foldExtreme<FoldFunction::kMinimum>;
    isa.accumulates[0] = accumulateArray<FoldFunction::kSum>;
    isa.accumulates[1] = accumulateArray<FoldFunction::kProduct>;
    isa.accumulates[2] = accumulateArray<FoldFunction::kMaximum>;
    isa.accumulates[3] = accumulateArray<FoldFunction::kMinimum>;
}
