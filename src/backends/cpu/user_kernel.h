// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/user_kernel.h"

namespace kiln::backends::cpu {

/// The machine that object code is compiled for, as named in plans: "x86-64", "aarch64".
char const* machineName() noexcept;

/// Loads a shared object and finds its entry; include/kiln/host_kernel.h defines the convention.
std::unique_ptr<backend::UserKernel> loadHostKernel(backend::UserKernelSpec const& spec,
                                                    HandOver const& ways);

} // namespace kiln::backends::cpu
