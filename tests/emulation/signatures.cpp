// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Refers to every function that Kiln calls, so that linking fails if one is missing.
#include "emulation/emulation.h"

namespace kiln::emulation {

KILN_EMULATED void const* const kilnEmulatedFunctions[] = {
#define KILN_NAME(symbol, member, parameters) reinterpret_cast<void const*>(&symbol),
    KILN_CUDA_DRIVER_FUNCTIONS(KILN_NAME) KILN_NVRTC_FUNCTIONS(KILN_NAME)
#undef KILN_NAME
};

} // namespace kiln::emulation
