// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "plan/document.h"

namespace kiln::plan {

/// Numbers contents of constants: equal numbers are equal bytes. Bytes that exist are compared;
/// recipes are equal if they do the same to equal operands, so that nothing is computed.
class Contents {
public:
    int32_t of(ByteView bytes);
    int32_t of(TensorRecord const& constant);

private:
    int32_t of(target::Recipe const& recipe);
    int32_t of(std::string key);

    /// Bytes that looked like no others, or were compared with them.
    struct Known {
        ByteView bytes;
        int32_t number = 0;
        std::optional<uint64_t> hash; ///< of all bytes
    };

    std::multimap<uint64_t, Known> bytes_; ///< by hash of samples
    std::map<std::string, int32_t> keys_;
    std::unordered_map<target::Recipe const*, int32_t> recipes_;
    int32_t next_ = 0;
};

} // namespace kiln::plan
