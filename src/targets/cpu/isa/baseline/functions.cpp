// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "targets/cpu/isa.h"
#include "targets/cpu/winograd/points.h"

namespace kiln::targets::cpu::baseline {

#include "targets/cpu/generic/functions.h"

#if defined(__x86_64__)
constexpr char const* kName = "x86-64";
#elif defined(__aarch64__)
constexpr char const* kName = "aarch64";
#else
constexpr char const* kName = "generic";
#endif

constinit Isa const kIsa = isaNamed(kName);

} // namespace kiln::targets::cpu::baseline
