// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// How loops over arrays store their results.

enum class StoreKind { kUsual, kPastCaches };

/// Past the caches, `to` is a multiple of the vector's size.
template <StoreKind kStore>
static inline void storeResult(float* to, Vector value) noexcept {
    if constexpr (kStore == StoreKind::kUsual) {
        storeVector(to, value);
    } else {
#if defined(__AVX512F__)
        _mm512_stream_ps(to, (__m512)value);
#elif defined(__AVX__)
        _mm256_stream_ps(to, (__m256)value);
#elif defined(__SSE__)
        __builtin_ia32_movntps(to, value);
#else
        storeVector(to, value);
#endif
    }
}

/// How many results at `to`, of `count`, come before the first one that storeResult() may begin at.
template <StoreKind kStore>
static inline int64_t resultsBefore(float const* to, int64_t count) noexcept {
    if constexpr (kStore == StoreKind::kUsual) {
        return 0;
    } else {
        int64_t const behind = ((uintptr_t)to / sizeof(float)) % kLanes;
        int64_t const lead = behind == 0 ? 0 : kLanes - behind;
        return lead < count ? lead : count;
    }
}

static void endPastCaches() noexcept {
#if defined(__SSE__)
    __builtin_ia32_sfence();
#endif
}
