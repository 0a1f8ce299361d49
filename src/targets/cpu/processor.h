// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kiln::targets::cpu {

/// The vendor's name of the processor, or the instruction set if the system does not tell it.
std::string processorName();

/// The highest level that compiled code may use here: "x86-64" to "x86-64-v4", or "aarch64".
std::string processorArchitecture();

/// The architecture that all kernels of this target can run on. Kernels choose their instructions
/// at run time, and constants are packed when a plan is opened.
std::string baselineArchitecture();

/// Empty if code for `needed` ("any" or a processorArchitecture()) runs here, else the reason.
std::string architectureProblem(std::string_view needed);

/// Whether architectureProblem() is empty. Does not allocate.
bool supports(std::string_view architecture) noexcept;

std::size_t physicalMemoryBytes();

/// The bytes of the largest cache of the first core, or 32 MiB if the system does not tell.
std::size_t largestCacheBytes();

} // namespace kiln::targets::cpu
