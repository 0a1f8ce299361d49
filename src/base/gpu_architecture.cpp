// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/gpu_architecture.h"

#include <fmt/core.h>

namespace kiln {

std::string GpuArchitecture::text() const {
    std::string text = fmt::format("sm_{}{}", major, minor);
    if (suffix != 0) {
        text += suffix;
    }
    return text;
}

bool namesPtx(std::string_view text) {
    return text.starts_with("compute_");
}

std::optional<GpuArchitecture> parseGpuArchitecture(std::string_view text) {
    for (std::string_view const prefix : {"sm_", "compute_"}) {
        if (text.substr(0, prefix.size()) != prefix) {
            continue;
        }
        std::string_view digits = text.substr(prefix.size());
        GpuArchitecture result;
        if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) {
            result.suffix = digits.back();
            digits.remove_suffix(1);
        }
        if (digits.size() < 2 || digits.size() > 3 || digits.front() == '0' ||
            digits.find_first_not_of("0123456789") != std::string_view::npos) {
            return std::nullopt;
        }
        for (char const digit : digits.substr(0, digits.size() - 1)) {
            result.major = 10 * result.major + (digit - '0');
        }
        result.minor = digits.back() - '0';
        return result;
    }
    return std::nullopt;
}

bool runsCubin(GpuArchitecture const& gpu, GpuArchitecture const& code) {
    if (code.suffix == 'a') {
        return gpu.major == code.major && gpu.minor == code.minor;
    }
    return gpu.major == code.major && gpu.minor >= code.minor;
}

bool runsPtx(GpuArchitecture const& gpu, GpuArchitecture const& code) {
    if (code.suffix != 0) { // such PTX has the restrictions of machine code
        return runsCubin(gpu, code);
    }
    return gpu.major > code.major || (gpu.major == code.major && gpu.minor >= code.minor);
}

bool runsCode(GpuArchitecture const& gpu, std::string_view name) {
    std::optional<GpuArchitecture> const code = parseGpuArchitecture(name);
    return code.has_value() && (namesPtx(name) ? runsPtx(gpu, *code) : runsCubin(gpu, *code));
}

} // namespace kiln
