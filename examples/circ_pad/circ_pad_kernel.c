// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Compiled into plans by circ_pad_aot_c.py. ENTRY: the name. ELEMENT: a type as wide as x's.
#include "circ_pad_kernel.h"

int32_t ENTRY(void const* const* inputs, void* const* outputs, KilnScalar const* scalars,
              KilnHostCall const* call) {
    KilnTensorDesc const* const desc = &call->outputs[0];
    int32_t const last = desc->rank - 1;
    int64_t const rows = rowCount(desc), columns = desc->extents[last];
    int64_t const extent = scalars[3 * last].integer, before = scalars[3 * last + 1].integer;
    ELEMENT* y = (ELEMENT*)outputs[0];
    for (int64_t row = 0; row < rows; ++row, y += columns) {
        ELEMENT const* const x =
            (ELEMENT const*)inputs[0] + sourceRow(row, scalars, desc->rank) * extent;
        int64_t index = wrapped(-before, extent);
        for (int64_t column = 0; column < columns; ++column) {
            y[column] = x[index];
            index = index + 1 == extent ? 0 : index + 1;
        }
    }
    return 0;
}
