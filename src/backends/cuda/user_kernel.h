// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/user_kernel.h"

namespace kiln::backends::cuda {

/// A kernel that a user compiled, PTX or cubin, on the GPU of this process. Its parameters are the
/// inputs, the scalars, the outputs, and null pointers for compilers that append scratch memory.
/// Throws kUnsupported in the driver's words, kCorruptData for a name that the code lacks.
std::unique_ptr<backend::UserKernel> loadGpuKernel(backend::UserKernelSpec const& spec);

} // namespace kiln::backends::cuda
