// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/core.h>

namespace kiln {

/// Error categories that callers can act on. Each kind maps to one public error code and one Python
/// exception.
enum class ErrorKind {
    kInvalidArgument,
    kInvalidState,
    kUnsupported,
    kOutOfMemory,
    kCorruptData,
    kDevice,
    kPlugin,
    kInternal,
};

char const* nameOf(ErrorKind kind) noexcept;

/// The one exception type inside Kiln; src/api/ turns it into log lines and error codes.
class Error : public std::runtime_error {
public:
    Error(ErrorKind kind, std::string const& message) : std::runtime_error(message), kind_(kind) {}

    ErrorKind kind() const noexcept { return kind_; }

private:
    ErrorKind kind_;
};

[[noreturn]] void raise(ErrorKind kind, std::string const& message);

/// Throws an Error with a message formatted by fmt: fail(kKind, "[where] {} ...", value).
template <typename... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
    raise(kind, fmt::format(format, std::forward<Args>(args)...));
}

/// Kind and text of an exception.
struct Failure {
    ErrorKind kind;
    char const* text; ///< lives as long as the exception
};

/// Describes the exception that is being handled, of any type. Allocates nothing, so that it can
/// report exhausted memory.
Failure currentFailure() noexcept;

} // namespace kiln
