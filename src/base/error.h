// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/core.h>

namespace kiln {

/// What went wrong, in the few words that callers act on. Each kind is mapped once to the public
/// error code and once to a Python exception.
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

/// Throws an Error whose message is formatted as fmt does: fail(kKind, "[where] {} ...", value).
template <typename... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
    raise(kind, fmt::format(format, std::forward<Args>(args)...));
}

/// What an exception says.
struct Failure {
    ErrorKind kind;
    char const* text; ///< lives as long as the exception
};

/// The exception that is being handled, of whatever type. Allocates nothing, so that exhausted
/// memory can be reported.
Failure currentFailure() noexcept;

} // namespace kiln
