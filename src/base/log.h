// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <fmt/core.h>

#include "kiln/api/logger.h"

namespace kiln {

using Severity = nvinfer1::ILogger::Severity;

/// A light handle to the user's logger. Cheap to copy. The logger must outlive every copy, as the
/// API requires. Without a logger, messages are dropped.
class Log {
public:
    Log() = default;
    explicit Log(nvinfer1::ILogger* logger) : logger_(logger) {}

    void write(Severity severity, char const* text) const noexcept;
    void write(Severity severity, std::string const& text) const noexcept {
        write(severity, text.c_str());
    }

    // These never throw. If there is no memory for the text, they write its first 500 bytes.
    template <typename... Args>
    void error(fmt::format_string<Args...> format, Args&&... args) const noexcept {
        print(Severity::kERROR, format, fmt::make_format_args(args...));
    }
    template <typename... Args>
    void warning(fmt::format_string<Args...> format, Args&&... args) const noexcept {
        print(Severity::kWARNING, format, fmt::make_format_args(args...));
    }
    template <typename... Args>
    void info(fmt::format_string<Args...> format, Args&&... args) const noexcept {
        print(Severity::kINFO, format, fmt::make_format_args(args...));
    }
    template <typename... Args>
    void verbose(fmt::format_string<Args...> format, Args&&... args) const noexcept {
        print(Severity::kVERBOSE, format, fmt::make_format_args(args...));
    }

    nvinfer1::ILogger* logger() const noexcept { return logger_; }

private:
    void print(Severity severity, fmt::string_view format, fmt::format_args args) const noexcept;

    nvinfer1::ILogger* logger_ = nullptr;
};

} // namespace kiln
