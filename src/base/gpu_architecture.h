// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kiln {

/// An architecture of NVIDIA's GPUs as compilers name it: "sm_90", "sm_90a", "sm_100f".
struct GpuArchitecture {
    int32_t major = 0; ///< 9 of sm_90
    int32_t minor = 0; ///< 0 of sm_90
    char suffix = 0;   ///< 'a': code for this one alone, 'f': for its family, 0: none

    std::string text() const;
    auto operator<=>(GpuArchitecture const&) const = default;
};

/// Nothing if the text is no architecture; "compute_90" is taken for "sm_90".
std::optional<GpuArchitecture> parseGpuArchitecture(std::string_view text);

/// Whether a GPU runs machine code (a cubin) of `code`: same major number, no newer minor one.
bool runsCubin(GpuArchitecture const& gpu, GpuArchitecture const& code);

/// Whether PTX that was written for `code` can be compiled for a GPU: any that is not older.
bool runsPtx(GpuArchitecture const& gpu, GpuArchitecture const& code);

} // namespace kiln
