// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Compiled into plans by circ_pad_aot_cpp.py: a template, and an entry point for each type.
#include "circ_pad_kernel.h"

namespace {

template <class Element>
int32_t pad(void const* const* inputs, void* const* outputs, KilnScalar const* scalars,
            KilnHostCall const* call) {
    KilnTensorDesc const& desc = call->outputs[0];
    int32_t const last = desc.rank - 1;
    int64_t const columns = desc.extents[last];
    int64_t const extent = scalars[3 * last].integer;
    int64_t const first = wrapped(-scalars[3 * last + 1].integer, extent);
    auto* y = static_cast<Element*>(outputs[0]);
    for (int64_t row = 0; row < rowCount(&desc); ++row, y += columns) {
        auto const* const x =
            static_cast<Element const*>(inputs[0]) + sourceRow(row, scalars, desc.rank) * extent;
        int64_t index = first;
        for (int64_t column = 0; column < columns; ++column) {
            y[column] = x[index];
            index = index + 1 == extent ? 0 : index + 1;
        }
    }
    return 0;
}

} // namespace

extern "C" {

int32_t circ_pad_float32(void const* const* inputs, void* const* outputs, KilnScalar const* scalars,
                         KilnHostCall const* call) {
    return pad<uint32_t>(inputs, outputs, scalars, call);
}

int32_t circ_pad_float16(void const* const* inputs, void* const* outputs, KilnScalar const* scalars,
                         KilnHostCall const* call) {
    return pad<uint16_t>(inputs, outputs, scalars, call);
}

} // extern "C"
