// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kiln::backends::cpu {

/// The processor as its maker calls it; the instruction set where the system does not tell.
std::string processorName();

/// The highest level that compiled code may use here: "x86-64" to "x86-64-v4", or "aarch64".
std::string processorArchitecture();

/// The least that every kernel of this target runs on: kernels choose their instructions at run
/// time, and constants are packed when a plan is opened.
std::string baselineArchitecture();

/// Empty if code for `needed` ("any" or a processorArchitecture()) runs here, else the reason.
std::string architectureProblem(std::string_view needed);

/// Whether it is empty, without an allocation.
bool supports(std::string_view architecture) noexcept;

std::size_t physicalMemoryBytes();

} // namespace kiln::backends::cpu
