// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "plugin/code/code_record.h"

namespace kiln::plugin {

/// What the code of a kernel must match.
struct KernelContract {
    std::string_view target;       ///< "cpu", "cuda"
    std::string_view architecture; ///< "x86-64", "sm_90"
    int32_t inputs = 0;            ///< tensors
    int32_t outputs = 0;
};

/// Checks the code of a kernel without a device: target, architecture, entry, number and sizes of
/// parameters. Fills in the images' properties and `nullPointers`, and moves a cubin before PTX.
/// Throws; the text follows the name of a callback.
void checkKernel(AotKernel& kernel, KernelContract const& contract);

} // namespace kiln::plugin
