// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Windows over padded planes, see PlaneWindow: depthwise convolutions and pooling. Several rows of
// results are computed at once, so that a weight is read once for all of them, and where a window
// moves by its own spacing an element of the plane, too.

enum class WindowKind { kFilter, kSum, kMaximum };

template <WindowKind kKind>
static inline Vector windowStep(Vector total, Vector x, Vector weight) noexcept {
    if constexpr (kKind == WindowKind::kFilter) {
        return total + x * weight;
    } else if constexpr (kKind == WindowKind::kSum) {
        return total + x;
    } else {
        return foldedVectors<FoldFunction::kMaximum>(total, x);
    }
}

static inline void storeLanes(float* to, Vector value, int64_t count) noexcept {
    if (count >= kLanes) {
        storeVector(to, value);
    } else {
        storePart(to, value, count);
    }
}

/// kStride 0: `stride` at run time, for `count` lanes.
template <int64_t kStride>
static inline Vector loadSpaced(float const* x, int64_t stride, int64_t count) noexcept {
    if constexpr (kStride == 1) {
        return loadVector(x);
    } else if constexpr (kStride == 2) {
        return evenLanes(loadVector(x), loadVector(x + kLanes));
    } else {
        float lanes[kLanes] = {};
        for (int64_t lane = 0; lane < kLanes && lane < count; ++lane) {
            lanes[lane] = x[lane * stride];
        }
        return loadVector(lanes);
    }
}

template <WindowKind kKind, int64_t kStride, int64_t kRows>
static inline void windowRows(PlaneWindow const& window, float const* x, float const* weights,
                              float start, float* to) noexcept {
    for (int64_t i = 0; i < window.columns; i += kLanes) {
        int64_t const rest = window.columns - i;
        Vector totals[kRows];
        for (int64_t row = 0; row < kRows; ++row) {
            totals[row] = splat(start);
        }
        float const* const corner = x + i * window.columnStride;
        for (int64_t down = 0; down < window.height; ++down) {
            for (int64_t across = 0; across < window.width; ++across) {
                float const* const from =
                    corner + down * window.rowSpacing + across * window.columnSpacing;
                Vector const weight = kKind == WindowKind::kFilter
                                          ? splat(weights[down * window.width + across])
                                          : Vector{};
                for (int64_t row = 0; row < kRows; ++row) {
                    totals[row] =
                        windowStep<kKind>(totals[row],
                                          loadSpaced<kStride>(from + row * window.rowStride,
                                                              window.columnStride, rest),
                                          weight);
                }
            }
        }
        for (int64_t row = 0; row < kRows; ++row) {
            storeLanes(to + row * window.toRow + i, totals[row], rest);
        }
    }
}

/// Windows of 3 by 3 that move by one element: the weights and a column of the window stay in
/// registers.
template <WindowKind kKind, int64_t kRows>
static inline void windowRowsOfNine(PlaneWindow const& window, float const* x, float const* weights,
                                    float start, float* to) noexcept {
    Vector factors[9] = {};
    if constexpr (kKind == WindowKind::kFilter) {
        for (int64_t tap = 0; tap < 9; ++tap) {
            factors[tap] = splat(weights[tap]);
        }
    }
    for (int64_t i = 0; i < window.columns; i += kLanes) {
        Vector totals[kRows];
        for (int64_t row = 0; row < kRows; ++row) {
            totals[row] = splat(start);
        }
#pragma GCC unroll 3
        for (int64_t across = 0; across < 3; ++across) {
#pragma GCC unroll 6
            for (int64_t from = 0; from < kRows + 2; ++from) {
                Vector const element =
                    loadVector(x + i + across * window.columnSpacing + from * window.rowSpacing);
#pragma GCC unroll 3
                for (int64_t down = 0; down < 3; ++down) {
                    int64_t const row = from - down;
                    if (row >= 0 && row < kRows) {
                        totals[row] =
                            windowStep<kKind>(totals[row], element, factors[down * 3 + across]);
                    }
                }
            }
        }
        for (int64_t row = 0; row < kRows; ++row) {
            storeLanes(to + row * window.toRow + i, totals[row], window.columns - i);
        }
    }
}

/// Every second element of two vectors that follow each other, from the second one on.
static inline Vector oddLanes(Vector x, Vector y) noexcept {
#if defined(__AVX512F__)
    return __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#elif defined(__AVX__)
    return __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15);
#else
    return __builtin_shufflevector(x, y, 1, 3, 5, 7);
#endif
}

/// One row of results, for windows whose elements have no weights and that move by two columns: the
/// columns are combined first, two vectors of neighbours at a time.
template <WindowKind kKind>
static inline void windowRowByTwo(PlaneWindow const& window, float const* x, float start,
                                  float* to) noexcept {
    auto const column = [&](float const* from) noexcept {
        Vector total = loadVector(from);
        for (int64_t down = 1; down < window.height; ++down) {
            total = windowStep<kKind>(total, loadVector(from + down * window.rowSpacing), Vector{});
        }
        return total;
    };
    for (int64_t i = 0; i < window.columns; i += kLanes) {
        Vector total = splat(start);
        for (int64_t across = 0; across < window.width; across += 2) {
            Vector const low = column(x + 2 * i + across);
            Vector const high = column(x + 2 * i + across + kLanes);
            total = windowStep<kKind>(total, evenLanes(low, high), Vector{});
            if (across + 1 < window.width) {
                total = windowStep<kKind>(total, oddLanes(low, high), Vector{});
            }
        }
        storeLanes(to + i, total, window.columns - i);
    }
}

template <int64_t kCount>
struct RowGroup {
    static constexpr int64_t kRows = kCount;
};

/// Calls body(row, a RowGroup) for all rows of results.
template <typename Body>
static inline void forRowGroups(int64_t rows, Body body) noexcept {
    int64_t row = 0;
    for (; row + 4 <= rows; row += 4) {
        body(row, RowGroup<4>{});
    }
    for (; row < rows; ++row) {
        body(row, RowGroup<1>{});
    }
}

template <WindowKind kKind>
static void slidePlane(PlaneWindow const& window, float const* x, float const* weights, float start,
                       float* to) noexcept {
    bool const nine = window.height == 3 && window.width == 3 && window.columnStride == 1 &&
                      window.rowStride == window.rowSpacing;
    forRowGroups(window.rows, [&](int64_t row, auto group) noexcept {
        constexpr int64_t kRows = decltype(group)::kRows;
        float const* const from = x + row * window.rowStride;
        float* const target = to + row * window.toRow;
        if (nine) {
            windowRowsOfNine<kKind, kRows>(window, from, weights, start, target);
        } else if (window.columnStride == 1) {
            windowRows<kKind, 1, kRows>(window, from, weights, start, target);
        } else if (kKind != WindowKind::kFilter && window.columnStride == 2 &&
                   window.columnSpacing == 1) {
            for (int64_t i = 0; i < kRows; ++i) {
                windowRowByTwo<kKind>(window, from + i * window.rowStride, start,
                                      target + i * window.toRow);
            }
        } else if (window.columnStride == 2) {
            windowRows<kKind, 2, kRows>(window, from, weights, start, target);
        } else {
            windowRows<kKind, 0, kRows>(window, from, weights, start, target);
        }
    });
}
