// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of the elementwise layer, on numbers. Integers wrap around and division by 0 gives
// 0. Comparisons give bool. Logic functions take 0 and 1.
#pragma once

#include "numbers.cuh"
#include "power.cuh"

#define KILN_DEFINE(name, expression)                                                              \
    struct name {                                                                                  \
        template <typename T>                                                                      \
        static __device__ auto of(T x, T y) {                                                      \
            return expression;                                                                     \
        }                                                                                          \
    };

/// Integer arithmetic wraps around; float arithmetic is unchanged.
#define KILN_DEFINE_WRAPPING(name, operation)                                                      \
    struct name {                                                                                  \
        template <typename T>                                                                      \
        static __device__ T of(T x, T y) {                                                         \
            if constexpr (Integers<T>::kAre) {                                                     \
                typedef typename Integers<T>::Unsigned Unsigned;                                   \
                return static_cast<T>(static_cast<Unsigned>(x)                                     \
                                          operation static_cast<Unsigned>(y));                     \
            } else {                                                                               \
                return x operation y;                                                              \
            }                                                                                      \
        }                                                                                          \
    };

KILN_DEFINE_WRAPPING(Sum, +)
KILN_DEFINE_WRAPPING(Difference, -)
KILN_DEFINE_WRAPPING(Product, *)

// The result is NaN if either input is NaN.
KILN_DEFINE(Maximum, x > y || x != x ? x : y)
KILN_DEFINE(Minimum, x < y || x != x ? x : y)

KILN_DEFINE(Equal, x == y)
KILN_DEFINE(Greater, x > y)
KILN_DEFINE(Less, x < y)

KILN_DEFINE(And, static_cast<uint8_t>(x& y))
KILN_DEFINE(Or, static_cast<uint8_t>(x | y))
KILN_DEFINE(Xor, static_cast<uint8_t>(x ^ y))

struct Quotient {
    static __device__ float of(float x, float y) { return x / y; }
    template <typename T>
    static __device__ T of(T x, T y) {
        // The lowest integer divided by -1 overflows; negation with wraparound is defined.
        return y == 0 ? T{0} : y == -1 ? Difference::of(T{0}, x) : static_cast<T>(x / y);
    }
};

struct FloorQuotient {
    static __device__ float of(float x, float y) { return floorf(x / y); }
    /// Integers of 22 bits are divided as floats, which takes a third of the instructions.
    static __device__ int32_t of(int32_t x, int32_t y) {
        constexpr uint32_t kMost = 1U << 21;
        uint32_t const size =
            (static_cast<uint32_t>(x) + kMost) | (static_cast<uint32_t>(y) + kMost);
        return size < 2 * kMost ? ofSmall(x, y) : of<int32_t>(x, y);
    }
    /// The quotient that the approximate reciprocal gives is off by less than 0.4, so the integer
    /// next to it is the result or one more.
    static __device__ int32_t ofSmall(int32_t x, int32_t y) {
        constexpr float kShift = 12582912.0F; // 1.5 * 2^23: the sum has no fraction
        constexpr int32_t kBits = 0x4b400000; // of kShift: integers lie behind it
        float const dividend = __int_as_float(x + kBits) - kShift;
        float const divisor = __int_as_float(y + kBits) - kShift;
        int32_t const near = __float_as_int(dividend * reciprocal(divisor) + kShift) - kBits;
        int32_t const rest = x - near * y;
        bool const above = rest != 0 && (rest ^ y) < 0;
        return y == 0 ? 0 : near - (above ? 1 : 0);
    }
    template <typename T>
    static __device__ T of(T x, T y) {
        // One division, without branches: the remainder follows from it.
        bool const special = y == 0 || y == -1;
        T const divisor = special ? T{1} : y;
        T const quotient = static_cast<T>(x / divisor);
        T const rest = Difference::of(x, Product::of(quotient, divisor));
        bool const below = rest != 0 && (rest < 0) != (divisor < 0);
        T const floored = static_cast<T>(quotient - (below ? 1 : 0));
        return y == 0 ? T{0} : y == -1 ? Difference::of(T{0}, x) : floored;
    }
};

template <bool kShort>
struct PowerOf {
    static __device__ float of(float x, float y) { return power<kShort>(x, y); }
    template <typename T>
    static __device__ T of(T x, T y) {
        if (y < 0) { // 1 / x ^ -y, truncated
            return x == 1 ? T{1} : x == -1 ? static_cast<T>(y % 2 == 0 ? 1 : -1) : T{0};
        }
        T result = 1;
        for (; y != 0; y = static_cast<T>(y / 2)) {
            result = y % 2 != 0 ? Product::of(result, x) : result;
            x = Product::of(x, x);
        }
        return result;
    }
};
