// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/message_codes.h"

namespace kiln::test {

/// A message without the code at its end.
inline std::string withoutCode(std::string message) {
    std::string_view const code = codeOf(message);
    message.resize(message.size() - (code.empty() ? 0 : code.size() + 3));
    return message;
}

} // namespace kiln::test
