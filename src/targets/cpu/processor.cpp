// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/processor.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include <fmt/core.h>

namespace kiln::targets::cpu {

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    file.exceptions(std::ios::badbit); // throw if memory runs out, do not end the file
    for (std::string line; std::getline(file, line);) {
        std::size_t const colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return processorArchitecture();
}

namespace {

/// Like processorArchitecture(), but does not allocate.
char const* levelHere() noexcept {
#if defined(__x86_64__)
    // The levels of the x86-64 psABI, detected by features that each level adds.
    bool const v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    bool const v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2");
    bool const v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512cd");
    return v4 ? "x86-64-v4" : v3 ? "x86-64-v3" : v2 ? "x86-64-v2" : "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "generic";
#endif
}

} // namespace

std::string processorArchitecture() {
    return levelHere();
}

std::string baselineArchitecture() {
    std::string const architecture = processorArchitecture();
    return architecture.substr(0, architecture.find("-v"));
}

std::string architectureProblem(std::string_view needed) {
    return supports(needed) ? std::string()
                            : fmt::format("it needs {}, this machine has {}", needed, levelHere());
}

bool supports(std::string_view architecture) noexcept {
    // The levels of one family sort as strings: "x86-64" < "x86-64-v2" < ...
    std::string_view const here = levelHere();
    auto const family = [](std::string_view level) { return level.substr(0, level.find("-v")); };
    return architecture == "any" || (family(architecture) == family(here) && architecture <= here);
}

std::size_t physicalMemoryBytes() {
    long const pages = sysconf(_SC_PHYS_PAGES);
    long const pageBytes = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && pageBytes > 0
               ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(pageBytes)
               : 0;
}

std::size_t largestCacheBytes() {
    // The C library counts the caches of all processors of a machine, the kernel those of a core.
    static std::size_t const bytes = [] {
        std::size_t largest = 0;
        for (int index = 0; index < 8; ++index) {
            std::ifstream file(
                fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index));
            std::size_t kibibytes = 0;
            if (file >> kibibytes) {
                largest = std::max(largest, kibibytes << 10);
            }
        }
        return largest > 0 ? largest : std::size_t{32} << 20;
    }();
    return bytes;
}

} // namespace kiln::targets::cpu
