// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The emulation's substitute for a cubin: a header, a shared library for the host,
// and what NVIDIA's compiler said about its kernels, if it was asked: see kernel_limits.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::emulation {

struct ImageHeader {
    char magic[8] = {'K', 'I', 'L', 'N', 'E', 'M', 'U', '1'};
    uint32_t major = 0; ///< compute capability
    uint32_t minor = 0;
    uint64_t portable = 0; ///< 1: as PTX, for this compute capability and later ones
    uint64_t bytes = 0;    ///< size of the library
    uint64_t limits = 0;   ///< size of the text behind it
    uint64_t hash = 0;     ///< hash of library and text
};

/// FNV-1a.
inline uint64_t hashOf(std::string_view text, uint64_t hash = 0xcbf29ce484222325ULL) {
    for (char const letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
    }
    return hash;
}

} // namespace kiln::emulation
