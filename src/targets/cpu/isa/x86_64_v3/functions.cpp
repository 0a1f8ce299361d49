// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Compiled for x86-64-v3 by CMakeLists.txt.
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

#include "targets/cpu/isa.h"
#include "targets/cpu/winograd/points.h"

namespace kiln::targets::cpu::x86_64_v3 {

#include "targets/cpu/generic/functions.h"

constinit Isa const kIsa = isaNamed("x86-64-v3");

} // namespace kiln::targets::cpu::x86_64_v3
#endif
