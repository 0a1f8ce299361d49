// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/user_kernel.h"

namespace kiln::targets::cpu {

/// The machine that object code is compiled for, as named in plans: "x86-64", "aarch64".
char const* machineName() noexcept;

/// Loads a shared object and finds its entry; include/kiln/host_kernel.h defines the convention.
std::unique_ptr<target::UserKernel> loadHostKernel(target::UserKernelSpec const& spec,
                                                   HandOver const& ways);

} // namespace kiln::targets::cpu
