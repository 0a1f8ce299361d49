// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "backends/cuda/driver/nvrtc.h"
#include "base/gpu_architecture.h"

namespace kiln::backends::cuda {

/// KernelRecord::code of this target: a source compiled for each architecture of a plan.
Bytes compileFor(SourceText const& source, std::span<std::string const> architectures);

/// The cubin in it that fits a GPU best. Throws kUnsupported when none does, kCorruptData.
ByteView cubinFor(GpuArchitecture const& gpu, ByteView code);

} // namespace kiln::backends::cuda
