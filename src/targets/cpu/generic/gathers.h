// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elements at indices, see Isa::gather32 and Isa::weightedGather. They are loaded one by one, but
// for the last ones: the processor's own gather takes two to three times as long on Zen 4, and many
// Intel processors have microcode that slows it down.

template <typename Index>
static void gatherWords(GatherRow const& row, void const* indices, uint32_t* to,
                        int64_t count) noexcept {
    auto const* const index = static_cast<Index const*>(indices);
    int64_t i = 0;
#if defined(__AVX512F__)
    __m512i const extent = _mm512_set1_epi64(row.extent);
    __m512i const stride = _mm512_set1_epi64(row.stride);
    __m512i const lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    __m512i start = _mm512_mullo_epi64(lanes, _mm512_set1_epi64(row.step));
    __m512i const next = _mm512_set1_epi64(8 * row.step);
    for (; i + 8 <= count && row.extent > 0; i += 8) {
        __m512i place;
        if constexpr (sizeof(Index) == 4) {
            __m256i const narrow = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(index + i));
            place = _mm512_maskz_cvtepi32_epi64(0xFF, narrow);
        } else {
            place = _mm512_loadu_si512(index + i);
        }
        place = _mm512_mask_add_epi64(place, _mm512_movepi64_mask(place), place, extent);
        __mmask8 const inside = _mm512_cmplt_epu64_mask(place, extent);
        place = _mm512_maskz_mov_epi64(inside, place); // the first element takes no harm
        if (row.stride != 1) {
            place = _mm512_mullo_epi64(place, stride);
        }
        int64_t at[8];
        _mm512_storeu_si512(at, _mm512_add_epi64(place, start));
        start = _mm512_add_epi64(start, next);
        auto const word = [&](int32_t lane) { return static_cast<int>(row.from[at[lane]]); };
        __m256i const words = _mm256_set_epi32(word(7), word(6), word(5), word(4), word(3), word(2),
                                               word(1), word(0));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                            _mm256_maskz_mov_epi32(inside, words));
    }
#endif
    for (; i < count; ++i) {
        int64_t place = index[i];
        place = place < 0 ? place + row.extent : place;
        bool const inside = place >= 0 && place < row.extent;
        to[i] = inside ? row.from[i * row.step + place * row.stride] : 0U;
    }
}

#if defined(__AVX512F__)
static inline __m512 gathered(float const* from, int32_t const* at) noexcept {
    return _mm512_set_ps(from[at[15]], from[at[14]], from[at[13]], from[at[12]], from[at[11]],
                         from[at[10]], from[at[9]], from[at[8]], from[at[7]], from[at[6]],
                         from[at[5]], from[at[4]], from[at[3]], from[at[2]], from[at[1]],
                         from[at[0]]);
}
#endif

static void weightedGather(float const* from, int32_t const* at, float const* weights, int64_t step,
                           int64_t taps, float* to, int64_t count) noexcept {
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + kLanes <= count; i += kLanes) {
        __m512 total = _mm512_setzero_ps();
        for (int64_t tap = 0; tap < taps; ++tap) {
            __m512 const weight = _mm512_loadu_ps(weights + tap * step + i);
            __mmask16 const reads = _mm512_cmp_ps_mask(weight, _mm512_setzero_ps(), _CMP_NEQ_UQ);
            __m512 const x = gathered(from, at + tap * step + i);
            total = _mm512_mask3_fmadd_ps(weight, x, total, reads);
        }
        _mm512_storeu_ps(to + i, total);
    }
    if (i < count) {
        int64_t const rest = count - i;
        auto const part = static_cast<__mmask16>((1U << rest) - 1U);
        __m512 total = _mm512_setzero_ps();
        for (int64_t tap = 0; tap < taps; ++tap) {
            __m512 const weight = _mm512_maskz_loadu_ps(part, weights + tap * step + i);
            __m512i const place = _mm512_maskz_loadu_epi32(part, at + tap * step + i);
            __mmask16 const reads = _mm512_cmp_ps_mask(weight, _mm512_setzero_ps(), _CMP_NEQ_UQ);
            __m512 const x = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), reads, place, from, 4);
            total = _mm512_fmadd_ps(weight, x, total);
        }
        _mm512_mask_storeu_ps(to + i, part, total);
    }
#else
    for (; i < count; ++i) {
        float total = 0.0F;
        for (int64_t tap = 0; tap < taps; ++tap) {
            float const weight = weights[tap * step + i];
            total += weight == 0.0F ? 0.0F : weight * from[at[tap * step + i]];
        }
        to[i] = total;
    }
#endif
}
