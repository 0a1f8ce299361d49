// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Windows that slide over a row: to[i] = f of x[i * stride] ... x[i * stride + size - 1].

/// kStride 0: `stride` at run time.
template <FoldFunction kFold, int64_t kStride>
static inline void slideBy(float const* x, int64_t size, int64_t stride, float* to,
                           int64_t count) noexcept {
    int64_t const step = kStride != 0 ? kStride : stride;
    for (int64_t i = 0; i < count; ++i) {
        to[i] = x[i * step];
    }
    for (int64_t k = 1; k < size; ++k) {
        float const* __restrict from = x + k;
        float* __restrict result = to;
        for (int64_t i = 0; i < count; ++i) {
            result[i] = folded<kFold>(result[i], from[i * step]);
        }
    }
}

template <FoldFunction kFold>
static void slideWindow(float const* x, int64_t size, int64_t stride, float* to,
                        int64_t count) noexcept {
    if (stride == 1) {
        slideBy<kFold, 1>(x, size, 1, to, count);
    } else if (stride == 2) {
        slideBy<kFold, 2>(x, size, 2, to, count);
    } else {
        slideBy<kFold, 0>(x, size, stride, to, count);
    }
}
