// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::emulation {

/// What NVIDIA's compiler found out about a kernel; launches are checked against it.
struct KernelLimits {
    std::string name;
    unsigned registers = 0;      ///< of a thread
    unsigned sharedBytes = 0;    ///< static
    unsigned threads = 0;        ///< most of a block, by __launch_bounds__; 0: not stated
    unsigned parameterBytes = 0; ///< of all parameters together, gaps included
};

/// The kernels of a cubin.
std::vector<KernelLimits> limitsOfCubin(std::string_view cubin);

/// One line for each kernel.
std::string textOf(std::vector<KernelLimits> const& limits);
std::vector<KernelLimits> limitsOfText(std::string_view text);

/// Most threads of a block that the registers of a multiprocessor suffice for.
unsigned threadsFor(unsigned registers);

/// The library that KILN_EMULATION_NVRTC names; empty without the variable.
std::string const& compilerForLimits();

/// Compiles a source by that library. False if it does not compile; `log` gets the messages.
bool compileForLimits(std::string const& name, std::string const& source,
                      std::vector<std::pair<std::string, std::string>> const& headers,
                      std::vector<std::string> const& options, std::vector<KernelLimits>& limits,
                      std::string& log);

} // namespace kiln::emulation
