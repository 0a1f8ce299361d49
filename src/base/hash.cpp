// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kiln {

uint64_t hashBytes(ByteView bytes) noexcept {
    return XXH3_64bits(bytes.data(), bytes.size());
}

} // namespace kiln
