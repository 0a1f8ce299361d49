// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/user_kernel.h"

namespace kiln::backends::cuda {

/// Empty if every GPU since compute capability 5.0 can launch so, apart from the shared memory,
/// whose limit is that of the largest (9.0 and 10.0). Else which number is wrong, and its limits.
std::string problemOf(backend::UserLaunch const& launch);

} // namespace kiln::backends::cuda
