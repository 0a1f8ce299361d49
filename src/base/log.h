// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <fmt/core.h>

#include "kiln/api/logger.h"

namespace kiln {

using Severity = nvinfer1::ILogger::Severity;

/// A light handle to the user's logger. Copy freely; the logger must outlive every copy, as the
/// API asks. Without a logger, messages are dropped: the library itself never prints.
class Log {
public:
    Log() = default;
    explicit Log(nvinfer1::ILogger* logger) : logger_(logger) {}

    void write(Severity severity, std::string const& text) const noexcept;

    template <typename... Args>
    void error(fmt::format_string<Args...> format, Args&&... args) const {
        write(Severity::kERROR, fmt::format(format, std::forward<Args>(args)...));
    }
    template <typename... Args>
    void warning(fmt::format_string<Args...> format, Args&&... args) const {
        write(Severity::kWARNING, fmt::format(format, std::forward<Args>(args)...));
    }
    template <typename... Args>
    void info(fmt::format_string<Args...> format, Args&&... args) const {
        write(Severity::kINFO, fmt::format(format, std::forward<Args>(args)...));
    }
    template <typename... Args>
    void verbose(fmt::format_string<Args...> format, Args&&... args) const {
        write(Severity::kVERBOSE, fmt::format(format, std::forward<Args>(args)...));
    }

    nvinfer1::ILogger* logger() const noexcept { return logger_; }

private:
    nvinfer1::ILogger* logger_ = nullptr;
};

} // namespace kiln
