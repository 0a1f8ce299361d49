// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace kiln::trtexec {

/// Ends the run: runTrtexec() logs the text at [E] and prints the FAILED line.
class Failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Throws a Failure with a text formatted by fmt.
template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
    throw Failure(fmt::format(format, std::forward<Args>(args)...));
}

} // namespace kiln::trtexec
