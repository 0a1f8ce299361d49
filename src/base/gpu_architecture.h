// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kiln {

/// An NVIDIA GPU architecture, as compilers name it: "sm_90", "sm_90a", "sm_100f".
struct GpuArchitecture {
    int32_t major = 0; ///< 9 of sm_90
    int32_t minor = 0; ///< 0 of sm_90
    char suffix = 0;   ///< 'a': this architecture only, 'f': its family, 0: none

    std::string text() const;
    auto operator<=>(GpuArchitecture const&) const = default;
};

/// Whether a name is that of PTX, which the driver compiles for any GPU that is not older:
/// "compute_80".
bool namesPtx(std::string_view text);

/// Empty if the text is not an architecture. "compute_90" is parsed as "sm_90".
std::optional<GpuArchitecture> parseGpuArchitecture(std::string_view text);

/// Whether a GPU runs machine code (a cubin) for `code`. Requires the same major number and a minor
/// number at least that of `code`; with suffix 'a', the same minor number.
bool runsCubin(GpuArchitecture const& gpu, GpuArchitecture const& code);

/// Whether PTX for `code` can be compiled for a GPU. Requires a GPU that is not older; PTX with a
/// suffix follows runsCubin().
bool runsPtx(GpuArchitecture const& gpu, GpuArchitecture const& code);

/// Whether a GPU runs code with this name: machine code, or PTX.
bool runsCode(GpuArchitecture const& gpu, std::string_view name);

} // namespace kiln
