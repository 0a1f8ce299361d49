// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of the elementwise layer, on values in their compute type. Integers wrap around and
// division by 0 gives 0, so no input causes undefined behaviour.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace kiln::targets::cpu {

/// Functions whose result has the type of the inputs.
struct Arithmetic {
    template <typename T>
    using Result = T;
};

/// Functions whose result is a bool, stored as 0 or 1.
struct Truth {
    template <typename T>
    using Result = uint8_t;
};

/// Integers as unsigned, so that arithmetic wraps around; floats unchanged.
template <typename T>
auto modular(T value) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<std::make_unsigned_t<T>>(value);
    } else {
        return value;
    }
}

struct Sum : Arithmetic {
    template <typename T>
    static T of(T x, T y) {
        return static_cast<T>(modular(x) + modular(y));
    }
};

struct Difference : Arithmetic {
    template <typename T>
    static T of(T x, T y) {
        return static_cast<T>(modular(x) - modular(y));
    }
};

struct Product : Arithmetic {
    template <typename T>
    static T of(T x, T y) {
        return static_cast<T>(modular(x) * modular(y));
    }
};

/// The result is NaN if either input is NaN.
struct Maximum : Arithmetic {
    template <typename T>
    static T of(T x, T y) {
        return x > y || x != x ? x : y;
    }
};

struct Minimum : Arithmetic {
    template <typename T>
    static T of(T x, T y) {
        return x < y || x != x ? x : y;
    }
};

struct Quotient : Arithmetic {
    template <typename T>
    static T of(T x, T y) {
        if constexpr (std::is_integral_v<T>) {
            // The lowest integer divided by -1 overflows; negation with wraparound is defined.
            return y == 0 ? T{0} : y == -1 ? Difference::of(T{0}, x) : static_cast<T>(x / y);
        } else {
            return x / y;
        }
    }
};

struct FloorQuotient : Arithmetic {
    template <typename T>
    static T of(T x, T y) {
        T const quotient = Quotient::of(x, y);
        if constexpr (std::is_integral_v<T>) {
            bool const exact = y == 0 || y == -1 || x % y == 0;
            return static_cast<T>(exact || (x < 0) == (y < 0) ? quotient : quotient - 1);
        } else {
            return std::floor(quotient);
        }
    }
};

struct Power : Arithmetic {
    template <typename T>
    static T of(T x, T y) {
        if constexpr (std::is_integral_v<T>) {
            if (y < 0) { // 1 / x ^ -y, truncated
                return x == 1 ? T{1} : x == -1 ? static_cast<T>(y % 2 == 0 ? 1 : -1) : T{0};
            }
            T result = 1;
            for (; y != 0; y = static_cast<T>(y / 2)) {
                result = y % 2 != 0 ? Product::of(result, x) : result;
                x = Product::of(x, x);
            }
            return result;
        } else {
            return std::pow(x, y);
        }
    }
};

struct Equal : Truth {
    template <typename T>
    static bool of(T x, T y) {
        return x == y;
    }
};

struct Greater : Truth {
    template <typename T>
    static bool of(T x, T y) {
        return x > y;
    }
};

struct Less : Truth {
    template <typename T>
    static bool of(T x, T y) {
        return x < y;
    }
};

// Logic on stored bools: any nonzero byte is true.

struct And : Truth {
    static bool of(uint8_t x, uint8_t y) { return x != 0 && y != 0; }
};

struct Or : Truth {
    static bool of(uint8_t x, uint8_t y) { return x != 0 || y != 0; }
};

struct Xor : Truth {
    static bool of(uint8_t x, uint8_t y) { return (x != 0) != (y != 0); }
};

struct EqualTruth : Truth {
    static bool of(uint8_t x, uint8_t y) { return (x != 0) == (y != 0); }
};

} // namespace kiln::targets::cpu
