// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Integer functions, and bits of floating-point numbers.
#pragma once

extern "C" void* memcpy(void* to, void const* from, size_t bytes) noexcept;
extern "C" void* memset(void* to, int value, size_t bytes) noexcept;

#define KILN_SAME_BITS(name, To, From)                                                             \
    inline To name(From value) {                                                                   \
        To result;                                                                                 \
        __builtin_memcpy(&result, &value, sizeof(result));                                         \
        return result;                                                                             \
    }
KILN_SAME_BITS(__float_as_int, int, float)
KILN_SAME_BITS(__float_as_uint, unsigned, float)
KILN_SAME_BITS(__int_as_float, float, int)
KILN_SAME_BITS(__uint_as_float, float, unsigned)
KILN_SAME_BITS(__double_as_longlong, long long, double)
KILN_SAME_BITS(__longlong_as_double, double, long long)
#undef KILN_SAME_BITS

inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline int __mulhi(int a, int b) {
    return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline int __popc(unsigned value) {
    return __builtin_popcount(value);
}
inline int __popcll(unsigned long long value) {
    return __builtin_popcountll(value);
}
inline int __clz(int value) {
    return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value));
}
inline int __clzll(long long value) {
    return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value));
}
inline int __ffs(int value) {
    return __builtin_ffs(value);
}
inline int __ffsll(long long value) {
    return __builtin_ffsll(value);
}
inline unsigned __brev(unsigned value) {
    unsigned result = 0;
    for (int bit = 0; bit < 32; ++bit) {
        result |= (value >> bit & 1U) << (31 - bit);
    }
    return result;
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
    unsigned long long const bytes = static_cast<unsigned long long>(high) << 32 | low;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned const which = selector >> 4 * i & 7U;
        result |= static_cast<unsigned>(bytes >> 8 * which & 0xffU) << 8 * i;
    }
    return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    unsigned long long const both = static_cast<unsigned long long>(high) << 32 | low;
    return static_cast<unsigned>(both << (shift & 31U) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    unsigned long long const both = static_cast<unsigned long long>(high) << 32 | low;
    return static_cast<unsigned>(both >> (shift & 31U));
}

// min() and max() of two integers return the wider type, or the unsigned one of equal width.
#define KILN_PICK(A, B, Result)                                                                    \
    inline Result min(A a, B b) {                                                                  \
        return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(a)            \
                                                               : static_cast<Result>(b);           \
    }                                                                                              \
    inline Result max(A a, B b) {                                                                  \
        return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(b)            \
                                                               : static_cast<Result>(a);           \
    }
KILN_PICK(int, int, int)
KILN_PICK(unsigned, unsigned, unsigned)
KILN_PICK(int, unsigned, unsigned)
KILN_PICK(unsigned, int, unsigned)
KILN_PICK(long, long, long)
KILN_PICK(unsigned long, unsigned long, unsigned long)
KILN_PICK(long long, long long, long long)
KILN_PICK(unsigned long long, unsigned long long, unsigned long long)
KILN_PICK(long long, unsigned long long, unsigned long long)
KILN_PICK(unsigned long long, long long, unsigned long long)
#undef KILN_PICK

extern "C" int abs(int) noexcept;
inline long long abs(long long value) {
    return value < 0 ? -value : value;
}
inline long long llabs(long long value) {
    return value < 0 ? -value : value;
}
