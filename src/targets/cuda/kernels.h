// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// All kernels of this target, for kernels that use others.
target::KernelRegistry const& kernels();

/// Bandwidth of a large copy on a GPU of this decade, for candidates without a cost model.
constexpr double kBytesPerSecond = 2e12;

/// Whether this process's GPU runs code of one of the architectures ("sm_90", "compute_80").
bool deviceRuns(std::span<std::string const> architectures);

} // namespace kiln::targets::cuda
