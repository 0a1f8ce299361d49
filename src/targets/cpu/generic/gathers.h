// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elements at indices, see Isa::gather32 and Isa::weightedGather.

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
    for (; i + 8 <= count; i += 8) {
        __m512i place;
        if constexpr (sizeof(Index) == 4) {
            __m256i const narrow = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(index + i));
            place = _mm512_maskz_cvtepi32_epi64(0xFF, narrow);
        } else {
            place = _mm512_loadu_si512(index + i);
        }
        place = _mm512_mask_add_epi64(place, _mm512_movepi64_mask(place), place, extent);
        __mmask8 const inside = _mm512_cmplt_epu64_mask(place, extent);
        if (row.stride != 1) {
            place = _mm512_mullo_epi64(place, stride);
        }
        place = _mm512_add_epi64(place, start);
        start = _mm512_add_epi64(start, next);
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(to + i),
            _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), inside, place, row.from, 4));
    }
#endif
    for (; i < count; ++i) {
        int64_t place = index[i];
        place = place < 0 ? place + row.extent : place;
        bool const inside = place >= 0 && place < row.extent;
        to[i] = inside ? row.from[i * row.step + place * row.stride] : 0U;
    }
}

static void weightedGather(float const* from, int32_t const* at, float const* weights, int64_t step,
                           int64_t taps, float* to, int64_t count) noexcept {
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i < count; i += kLanes) {
        int64_t const rest = count - i;
        auto const part = static_cast<__mmask16>(rest >= kLanes ? 0xFFFFU : (1U << rest) - 1U);
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
