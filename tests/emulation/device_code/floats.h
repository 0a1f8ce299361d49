// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Floating-point functions: those of the C library, CUDA's overloads for float, and its intrinsics,
// which are as exact here as the functions that they approximate.
#pragma once

// Declares name and namef of one argument; name of a float calls namef.
#define KILN_FLOAT_1(name)                                                                         \
    extern "C" double name(double) noexcept;                                                       \
    extern "C" float name##f(float) noexcept;                                                      \
    inline float name(float value) {                                                               \
        return name##f(value);                                                                     \
    }
#define KILN_FLOAT_2(name)                                                                         \
    extern "C" double name(double, double) noexcept;                                               \
    extern "C" float name##f(float, float) noexcept;                                               \
    inline float name(float a, float b) {                                                          \
        return name##f(a, b);                                                                      \
    }
KILN_FLOAT_1(acos)
KILN_FLOAT_1(acosh)
KILN_FLOAT_1(asin)
KILN_FLOAT_1(asinh)
KILN_FLOAT_1(atan)
KILN_FLOAT_1(atanh)
KILN_FLOAT_1(cbrt)
KILN_FLOAT_1(ceil)
KILN_FLOAT_1(cos)
KILN_FLOAT_1(cosh)
KILN_FLOAT_1(erf)
KILN_FLOAT_1(erfc)
KILN_FLOAT_1(exp)
KILN_FLOAT_1(exp2)
KILN_FLOAT_1(expm1)
KILN_FLOAT_1(fabs)
KILN_FLOAT_1(floor)
KILN_FLOAT_1(lgamma)
KILN_FLOAT_1(log)
KILN_FLOAT_1(log10)
KILN_FLOAT_1(log1p)
KILN_FLOAT_1(log2)
KILN_FLOAT_1(nearbyint)
KILN_FLOAT_1(rint)
KILN_FLOAT_1(round)
KILN_FLOAT_1(sin)
KILN_FLOAT_1(sinh)
KILN_FLOAT_1(sqrt)
KILN_FLOAT_1(tan)
KILN_FLOAT_1(tanh)
KILN_FLOAT_1(tgamma)
KILN_FLOAT_1(trunc)
KILN_FLOAT_2(atan2)
KILN_FLOAT_2(copysign)
KILN_FLOAT_2(fdim)
KILN_FLOAT_2(fmax)
KILN_FLOAT_2(fmin)
KILN_FLOAT_2(fmod)
KILN_FLOAT_2(hypot)
KILN_FLOAT_2(nextafter)
KILN_FLOAT_2(pow)
KILN_FLOAT_2(remainder)
#undef KILN_FLOAT_1
#undef KILN_FLOAT_2
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
extern "C" float modff(float, float*) noexcept;
inline float fma(float a, float b, float c) {
    return fmaf(a, b, c);
}
inline float ldexp(float value, int exponent) {
    return ldexpf(value, exponent);
}
inline float abs(float value) {
    return fabsf(value);
}
inline double abs(double value) {
    return fabs(value);
}
inline float min(float a, float b) {
    return fminf(a, b);
}
inline float max(float a, float b) {
    return fmaxf(a, b);
}
inline double min(double a, double b) {
    return fmin(a, b);
}
inline double max(double a, double b) {
    return fmax(a, b);
}
inline float rsqrtf(float value) {
    return static_cast<float>(1.0 / sqrt(static_cast<double>(value)));
}
inline double rsqrt(double value) {
    return 1.0 / sqrt(value);
}
inline float rcbrtf(float value) {
    return 1.0F / cbrtf(value);
}
inline float exp10f(float value) {
    return static_cast<float>(pow(10.0, static_cast<double>(value)));
}
inline float normcdff(float value) {
    return 0.5F * erfcf(-value * 0.70710678F);
}
inline float sinpif(float value) {
    return static_cast<float>(sin(3.14159265358979323846 * static_cast<double>(value)));
}
inline float cospif(float value) {
    return static_cast<float>(cos(3.14159265358979323846 * static_cast<double>(value)));
}
inline void sincosf(float value, float* sine, float* cosine) {
    *sine = sinf(value);
    *cosine = cosf(value);
}

inline bool isnan(float value) {
    return __builtin_isnan(value);
}
inline bool isnan(double value) {
    return __builtin_isnan(value);
}
inline bool isinf(float value) {
    return __builtin_isinf(value) != 0;
}
inline bool isinf(double value) {
    return __builtin_isinf(value) != 0;
}
inline bool isfinite(float value) {
    return __builtin_isfinite(value) != 0;
}
inline bool isfinite(double value) {
    return __builtin_isfinite(value) != 0;
}
inline bool signbit(float value) {
    return __builtin_signbit(value) != 0;
}
inline bool signbit(double value) {
    return __builtin_signbit(value) != 0;
}

inline float __expf(float value) {
    return expf(value);
}
inline float __exp10f(float value) {
    return exp10f(value);
}
inline float __logf(float value) {
    return logf(value);
}
inline float __log2f(float value) {
    return log2f(value);
}
inline float __log10f(float value) {
    return log10f(value);
}
inline float __sinf(float value) {
    return sinf(value);
}
inline float __cosf(float value) {
    return cosf(value);
}
inline float __tanf(float value) {
    return tanf(value);
}
inline float __powf(float a, float b) {
    return powf(a, b);
}
inline float __fdividef(float a, float b) {
    return a / b;
}
inline float __saturatef(float value) {
    return value > 0.0F ? value < 1.0F ? value : 1.0F : 0.0F;
}
inline float __fadd_rn(float a, float b) {
    return a + b;
}
inline float __fsub_rn(float a, float b) {
    return a - b;
}
inline float __fmul_rn(float a, float b) {
    return a * b;
}
inline float __fdiv_rn(float a, float b) {
    return a / b;
}
inline float __fmaf_rn(float a, float b, float c) {
    return fmaf(a, b, c);
}
inline float __frcp_rn(float value) {
    return 1.0F / value;
}
inline float __fsqrt_rn(float value) {
    return sqrtf(value);
}
inline float __frsqrt_rn(float value) {
    return rsqrtf(value);
}
inline double __dadd_rn(double a, double b) {
    return a + b;
}
inline double __dmul_rn(double a, double b) {
    return a * b;
}

// Conversions to integers saturate on a GPU. NaN becomes 0 (the lowest number for 64 bits).
template <typename Int, typename Float>
Int kilnSaturate(Float value, Int least, Int most, Int ofNan) {
    if (value != value) {
        return ofNan;
    }
    if (value <= static_cast<Float>(least)) {
        return least;
    }
    return value >= static_cast<Float>(most) ? most : static_cast<Int>(value);
}
constexpr int kKilnMostInt = 0x7fffffff;
constexpr long long kKilnMostLong = 0x7fffffffffffffffLL;
#define KILN_TO_INTEGER(suffix, rounded)                                                           \
    inline int __float2int_##suffix(float value) {                                                 \
        return kilnSaturate<int>(rounded, -kKilnMostInt - 1, kKilnMostInt, 0);                     \
    }                                                                                              \
    inline unsigned __float2uint_##suffix(float value) {                                           \
        return kilnSaturate<unsigned>(rounded, 0U, 0xffffffffU, 0U);                               \
    }                                                                                              \
    inline long long __float2ll_##suffix(float value) {                                            \
        return kilnSaturate<long long>(rounded, -kKilnMostLong - 1, kKilnMostLong,                 \
                                       -kKilnMostLong - 1);                                        \
    }                                                                                              \
    inline unsigned long long __float2ull_##suffix(float value) {                                  \
        return kilnSaturate<unsigned long long>(rounded, 0ULL, ~0ULL, 1ULL << 63);                 \
    }
KILN_TO_INTEGER(rn, rintf(value))
KILN_TO_INTEGER(rz, truncf(value))
KILN_TO_INTEGER(rd, floorf(value))
KILN_TO_INTEGER(ru, ceilf(value))
#undef KILN_TO_INTEGER
inline float __int2float_rn(int value) {
    return static_cast<float>(value);
}
inline float __uint2float_rn(unsigned value) {
    return static_cast<float>(value);
}
inline float __ll2float_rn(long long value) {
    return static_cast<float>(value);
}
inline float __ull2float_rn(unsigned long long value) {
    return static_cast<float>(value);
}
inline float __double2float_rn(double value) {
    return static_cast<float>(value);
}
