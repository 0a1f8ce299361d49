// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "target/user_kernel.h"

namespace kiln::targets::cuda {

/// Loads a user's kernel, PTX or cubin, on the current GPU. Its parameters are the inputs, the
/// scalars, the outputs, and null pointers for compilers that append scratch memory. Throws
/// kUnsupported with the driver's text, kCorruptData if the code has no kernel of this name.
std::unique_ptr<target::UserKernel> loadGpuKernel(target::UserKernelSpec const& spec);

} // namespace kiln::targets::cuda
