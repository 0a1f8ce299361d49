// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "plugin/code/code_record.h"

namespace kiln::plugin {

/// What the code of a kernel must fit.
struct KernelContract {
    std::string_view target;       ///< "cpu", "cuda"
    std::string_view architecture; ///< "x86-64", "sm_90"
    int32_t inputs = 0;            ///< tensors
    int32_t outputs = 0;
};

/// Checks the code of a kernel against what it is for, without a device: its target and
/// architecture, the entry, the number and the sizes of its parameters. Completes what the images
/// tell of themselves and `nullPointers`, and puts a cubin before the PTX beside it. Throws in
/// words that follow the name of a callback.
void checkKernel(AotKernel& kernel, KernelContract const& contract);

} // namespace kiln::plugin
