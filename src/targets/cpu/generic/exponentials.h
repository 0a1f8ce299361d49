// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// exp, log and what is made of them, lane by lane. Errors are given in units in the last place
// (ulp) of the correct result, over all floats; isa_test.cpp checks them. Subnormal arguments and
// results are exact to the same number of ulp; NaN stays NaN. Polynomials without a source were
// fitted for these files, with the smallest largest relative error.

/// x * 2^n for whole n in [-300, 300].
static inline Vector scaled(Vector x, Vector n) noexcept {
#if defined(__AVX512F__)
    return (Vector)_mm512_maskz_scalef_ps(0xFFFF, (__m512)x, (__m512)n);
#else
    IntVector const exponent = __builtin_convertvector(n, IntVector);
    IntVector const half = exponent >> 1; // two factors, because 2^128 is not a float
    return x * (Vector)((half + 127) << 23) * (Vector)((exponent - half + 127) << 23);
#endif
}

struct Reduced {
    Vector n; ///< whole
    Vector r; ///< |r| <= ln(2) / 2
};

/// x = n * ln(2) + r, for |x| < 1e4.
static inline Reduced reduced(Vector x) noexcept {
    Vector const rounder = splat(12582912.0F); // 1.5 * 2^23: the sum is rounded to a whole number
    Vector const n = (x * 1.44269504F + rounder) - rounder;
    return {n, x - n * 0.693359375F + n * 2.12194440e-4F};
}

static inline Vector limited(Vector x, float low, float high) noexcept {
    return smallerOf(splat(high), largerOf(splat(low), x)); // NaN passes
}

/// exp of n * ln(2) + r, to 2 ulp.
static inline Vector expReduced(Vector n, Vector r) noexcept {
    Vector p = 1.38146023e-3F * r + 8.36871564e-3F;
    p = p * r + 4.16683890e-2F;
    p = p * r + 1.66665211e-1F;
    p = p * r + 4.99999940e-1F;
    p = p * r + 1.0F;
    return scaled(p * r + 1.0F, n);
}

/// exp, to 2 ulp.
static inline Vector expVector(Vector x) noexcept {
    // Beyond these limits the result is 0 or infinity.
    auto const [n, r] = reduced(limited(x, -104.5F, 89.5F));
    return expReduced(n, r);
}

/// exp(r) - 1 for |r| <= ln(2) / 2.
static inline Vector expm1Reduced(Vector r) noexcept {
    Vector p = 1.38825218e-3F * r + 8.36651913e-3F;
    p = p * r + 4.16671998e-2F;
    p = p * r + 1.66665436e-1F;
    p = p * r + 4.99999982e-1F;
    return p * r * r + r;
}

/// exp(x) - 1, to 3 ulp.
static inline Vector expm1Vector(Vector x) noexcept {
    auto const [n, r] = reduced(limited(x, -18.0F, 89.5F)); // exp(-18) is below half an ulp of 1
    Vector const p = expm1Reduced(r);
    // 2^n * (1 + p) - 1; half of 2^n, because 2^128 is not a float.
    Vector const half = scaled(splat(0.5F), n);
    Vector const result = (p * half + (half - 0.5F)) * 2.0F;
    return absolute(x) < splat(1e-8F) ? x : result; // keeps -0 and subnormals
}

/// log, to 2 ulp; of negative numbers NaN, of 0 -infinity.
static inline Vector logVector(Vector x) noexcept {
    Vector const least = splat(1.17549435e-38F);
    IntVector const small = x < least;
    UnsignedVector const bits = (UnsignedVector)(small ? x * 8388608.0F : x);
    // The mantissa in [sqrt(1/2), sqrt(2)), and its exponent.
    IntVector const shifted = (IntVector)(bits - 0x3F3504F3U); // wraps for negative numbers
    IntVector const exponent = shifted >> 23;
    Vector const f = (Vector)((shifted & 0x7FFFFF) + 0x3F3504F3) - 1.0F;
    Vector const n = __builtin_convertvector(exponent, Vector) - (small ? splat(23.0F) : Vector{});
    Vector p = 6.74663857e-2F * f - 1.16756514e-1F;
    p = p * f + 1.18881628e-1F;
    p = p * f - 1.24055892e-1F;
    p = p * f + 1.42195523e-1F;
    p = p * f - 1.66679963e-1F;
    p = p * f + 2.00021192e-1F;
    p = p * f - 2.50000089e-1F;
    p = p * f + 3.33333135e-1F;
    Vector const square = f * f;
    Vector const tail = p * f * square - n * 2.12194440e-4F - 0.5F * square;
    Vector const result = tail + f + n * 0.693359375F;
    Vector const inside = x < splat(__builtin_inff()) ? result : x; // infinity and NaN
    return x > Vector{} ? inside
                        : (x == Vector{} ? splat(-__builtin_inff()) : x * __builtin_nanf(""));
}

/// log(1 + e) for e in [0, 1], to 2 ulp: 2 * atanh(e / (2 + e)).
static inline Vector log1pOfUnit(Vector e) noexcept {
    Vector const s = e / (e + 2.0F);
    Vector const z = s * s;
    Vector p = 1.21504672e-1F * z + 1.07138291e-1F;
    p = p * z + 1.43084422e-1F;
    p = p * z + 1.99994385e-1F;
    p = p * z + 3.33333373e-1F;
    Vector const twice = s + s;
    return p * z * twice + twice;
}

/// 1 / (1 + exp(-x)), to 4 ulp.
static inline Vector sigmoidVector(Vector x) noexcept {
    Vector const e = expVector(-absolute(x));
    return (x < Vector{} ? e : splat(1.0F)) / (e + 1.0F);
}

/// tanh, to 7 ulp: a quotient of polynomials, odd and even.
static inline Vector tanhVector(Vector x) noexcept {
    Vector const t = limited(x, -9.1F, 9.1F); // beyond, the result is 1 or -1
    Vector const z = t * t;
    Vector p = -1.21189219e-11F * z + 3.04825788e-8F;
    p = p * z + 2.79688703e-5F;
    p = p * z + 3.86653576e-3F;
    p = p * z + 1.36785171e-1F;
    Vector q = 1.28454131e-6F * z + 3.935385e-4F;
    q = q * z + 2.72393844e-2F;
    q = q * z + 4.70118496e-1F;
    q = q * z + 1.0F;
    return (p * z * t + t) / q;
}

/// log(1 + exp(x)), to 4 ulp.
static inline Vector softplusVector(Vector x) noexcept {
    Vector const positive = largerOf(Vector{}, x);
    return positive + log1pOfUnit(expVector(-absolute(x)));
}

/// erf, to 4 ulp: 1 - exp(-t * q(t)) for t = |x|.
static inline Vector erfVector(Vector x) noexcept {
    Vector const magnitude = absolute(x);
    // Above 3.95 the result is 1.
    Vector const t = smallerOf(splat(3.95F), magnitude);
    Vector q = 1.19329502e-6F * t - 2.13545627e-5F;
    q = q * t + 1.67480859e-4F;
    q = q * t - 7.40685733e-4F;
    q = q * t + 1.79935363e-3F;
    q = q * t - 2.53060920e-4F;
    q = q * t - 1.91176943e-2F;
    q = q * t + 1.02771275e-1F;
    q = q * t + 6.36619806e-1F;
    q = q * t + 1.12837923F;
    // exp(-t * q) - 1: its argument is in [-18, 0], so that n needs no limits.
    auto const [n, r] = reduced(-t * q);
    Vector const power = scaled(splat(1.0F), n);
    return withSign(expm1Reduced(r) * power + (power - 1.0F), x);
}

/// x / 2 * (1 + erf(x / sqrt(2))) = max(x, 0) - |x| * erfc(|x| / sqrt(2)) / 2, to 4 ulp for x > -1.
/// Below, the error is at most 2^-24 * |x|; below -6 the result is 0.
static inline Vector geluVector(Vector x) noexcept {
    Vector const magnitude = absolute(x);
    Vector const t = smallerOf(splat(6.0F), magnitude);
    Vector q = -1.8126276e-9F * t + 6.73488643e-8F;
    q = q * t - 1.11039913e-6F;
    q = q * t + 1.06153184e-5F;
    q = q * t - 6.32025112e-5F;
    q = q * t + 2.13771782e-4F;
    q = q * t - 2.04454736e-5F;
    q = q * t - 4.80796304e-3F;
    q = q * t + 3.63530926e-2F;
    q = q * t + 3.18304539e-1F;
    q = q * t + 7.9788512e-1F;
    Vector const product = 0.5F * magnitude * expVector(-t * q);
    Vector const tail = magnitude > splat(6.0F) ? Vector{} : product;
    Vector const positive = largerOf(Vector{}, x);
    return positive - tail;
}

/// x / 2 * (1 + tanh(u)) = x * sigmoid(2 * u), with u = sqrt(2 / pi) * (x + 0.044715 * x^3). Errors
/// as those of geluVector.
static inline Vector geluTanhVector(Vector x) noexcept {
    Vector const u = x * (x * x * 0.0713548163F + 1.59576912F);
    Vector const gate = sigmoidVector(u);
    return gate == Vector{} ? Vector{} : x * gate; // avoids 0 * infinity
}
