// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA's short vectors, aligned as on a GPU.
#pragma once

#define KILN_VECTORS(name, T)                                                                      \
    struct name##1 {                                                                               \
        T x;                                                                                       \
    };                                                                                             \
    struct alignas(2 * sizeof(T)) name##2 {                                                        \
        T x, y;                                                                                    \
    };                                                                                             \
    struct name##3 {                                                                               \
        T x, y, z;                                                                                 \
    };                                                                                             \
    struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) name##4 {                              \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    inline name##2 make_##name##2(T x, T y) {                                                      \
        return {x, y};                                                                             \
    }                                                                                              \
    inline name##3 make_##name##3(T x, T y, T z) {                                                 \
        return {x, y, z};                                                                          \
    }                                                                                              \
    inline name##4 make_##name##4(T x, T y, T z, T w) {                                            \
        return {x, y, z, w};                                                                       \
    }
KILN_VECTORS(char, signed char)
KILN_VECTORS(uchar, unsigned char)
KILN_VECTORS(short, short)
KILN_VECTORS(ushort, unsigned short)
KILN_VECTORS(int, int)
KILN_VECTORS(uint, unsigned)
KILN_VECTORS(longlong, long long)
KILN_VECTORS(ulonglong, unsigned long long)
KILN_VECTORS(float, float)
KILN_VECTORS(double, double)
#undef KILN_VECTORS

typedef KilnIndex dim3;
