// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Called by circ_pad_c.py: copies columns of a matrix of 2- or 4-byte elements.
#include <stdint.h>

#define COPY(type)                                                             \
    for (int64_t row = 0; row < rows; ++row) {                                 \
        for (int64_t column = 0; column < count; ++column) {                   \
            ((type*)y)[row * count + column] =                                 \
                ((type const*)x)[row * block + offsets[column]];               \
        }                                                                      \
    }

/// y [rows, count] = x [rows, block] at offsets [count]. size: bytes of an element, 2 or 4.
void copy_columns(void const* x, void* y, int64_t const* offsets, int64_t rows, int64_t block,
                  int64_t count, int64_t size) {
    if (size == 2) {
        COPY(uint16_t)
    } else {
        COPY(uint32_t)
    }
}
