// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kiln {

uint64_t hashBytes(ByteView bytes) noexcept {
    return XXH3_64bits(bytes.data(), bytes.size());
}

std::array<uint8_t, 16> hashBytes128(ByteView bytes) noexcept {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
    std::array<uint8_t, 16> result{};
    std::memcpy(result.data(), canonical.digest, result.size());
    return result;
}

} // namespace kiln
