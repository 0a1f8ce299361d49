// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Windows that slide over rows: see Slide.

/// Every second element of two vectors that follow each other.
static inline Vector evenLanes(Vector x, Vector y) noexcept {
#if defined(__AVX512F__)
    return __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
#elif defined(__AVX__)
    return __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14);
#else
    return __builtin_shufflevector(x, y, 0, 2, 4, 6);
#endif
}

/// kStride 0: `stride` at run time.
template <int64_t kStride>
static inline Vector loadStrided(float const* x, int64_t stride) noexcept {
    if constexpr (kStride == 2) {
        return evenLanes(loadVector(x), loadVector(x + kLanes));
    } else {
        float lanes[kLanes];
        for (int64_t lane = 0; lane < kLanes; ++lane) {
            lanes[lane] = x[lane * stride];
        }
        return loadVector(lanes);
    }
}

template <FoldFunction kFold>
static void slideDensely(float const* x, int64_t taps, int64_t spacing, float* to,
                         int64_t count) noexcept {
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Vector total = loadVector(x + i);
        for (int64_t k = 1; k < taps; ++k) {
            total = foldedVectors<kFold>(total, loadVector(x + i + k * spacing));
        }
        storeVector(to + i, total);
    }
    if (i < count) {
        int64_t const rest = count - i;
        Vector total = loadPart(x + i, rest);
        for (int64_t k = 1; k < taps; ++k) {
            total = foldedVectors<kFold>(total, loadPart(x + i + k * spacing, rest));
        }
        storePart(to + i, total, rest);
    }
}

template <FoldFunction kFold, int64_t kStride>
static inline void slideBy(float const* x, int64_t taps, int64_t spacing, int64_t stride, float* to,
                           int64_t count) noexcept {
    for (int64_t i = 0; i < count; i += kLanes) {
        float const* from = x + i * stride;
        Vector total = loadStrided<kStride>(from, stride);
        for (int64_t k = 1; k < taps; ++k) {
            total = foldedVectors<kFold>(total, loadStrided<kStride>(from + k * spacing, stride));
        }
        storeVector(to + i, total);
    }
}

template <FoldFunction kFold>
static void slideWindow(float const* x, int64_t taps, int64_t spacing, int64_t stride, float* to,
                        int64_t count) noexcept {
    if (stride == 1) {
        slideDensely<kFold>(x, taps, spacing, to, count);
    } else if (stride == 2) {
        slideBy<kFold, 2>(x, taps, spacing, 2, to, count);
    } else {
        int64_t const whole = count / kLanes * kLanes;
        slideBy<kFold, 0>(x, taps, spacing, stride, to, whole);
        for (int64_t i = whole; i < count; ++i) {
            to[i] = x[i * stride];
            for (int64_t k = 1; k < taps; ++k) {
                to[i] = folded<kFold>(to[i], x[i * stride + k * spacing]);
            }
        }
    }
}
