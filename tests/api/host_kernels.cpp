// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// CPU kernels that tests store in plans.
#include <kiln/host_kernel.h>

#define KILN_TEST_EXPORT extern "C" __attribute__((visibility("default")))

/// outputs[0] = inputs[0] * scalars[1] over scalars[0] elements.
KILN_TEST_EXPORT int32_t scaleBy(void const* const* inputs, void* const* outputs,
                                 KilnScalar const* scalars, KilnHostCall const*) {
    auto const* const x = static_cast<float const*>(inputs[0]);
    auto* const y = static_cast<float*>(outputs[0]);
    for (int64_t i = 0; i < scalars[0].integer; ++i) {
        y[i] = x[i] * static_cast<float>(scalars[1].real);
    }
    return 0;
}

/// Adds the first extent of the input and the number of blocks to each output.
KILN_TEST_EXPORT int32_t addExtent(void const* const*, void* const* outputs, KilnScalar const*,
                                   KilnHostCall const* call) {
    auto* const y = static_cast<float*>(outputs[0]);
    KilnTensorDesc const& desc = call->outputs[0];
    for (int64_t i = 0; i < desc.extents[0] * desc.strides[0]; ++i) {
        y[i] += static_cast<float>(call->inputs[0].extents[0] + call->grid[0]);
    }
    return 0;
}

KILN_TEST_EXPORT int32_t fails(void const* const*, void* const*, KilnScalar const*,
                               KilnHostCall const*) {
    return 42;
}
