// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "target/user_kernel.h"

namespace kiln::targets::cuda {

/// Empty if every GPU since compute capability 5.0 can launch this, else which number is wrong, and
/// its limits. The limit of shared memory is that of the largest GPUs (9.0 and 10.0).
std::string problemOf(target::UserLaunch const& launch);

} // namespace kiln::targets::cuda
