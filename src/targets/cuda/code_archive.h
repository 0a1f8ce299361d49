// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "base/gpu_architecture.h"
#include "targets/cuda/driver/nvrtc.h"

namespace kiln::targets::cuda {

/// KernelRecord::code of this target: a source compiled for each architecture of a plan, to machine
/// code, or to PTX for "compute_80".
Bytes compileFor(SourceText const& source, std::span<std::string const> architectures);

/// The same for sources with instructions that only GPUs of compute capability 9.0 have. Throws
/// kUnsupported if another architecture is among them.
Bytes compileForHopper(SourceText const& source, std::span<std::string const> architectures);

/// Code of an archive.
struct CodeImage {
    ByteView bytes;
    GpuArchitecture architecture;
};

/// The archive's best code for a GPU: machine code, else PTX, for the newest architecture. Throws
/// kUnsupported if none fits, kCorruptData if damaged.
CodeImage codeFor(GpuArchitecture const& gpu, ByteView code);

} // namespace kiln::targets::cuda
