// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <NvInferRuntime.h>
#include <fmt/format.h>

namespace kiln::trtexec {

using Severity = nvinfer1::ILogger::Severity;

/// Writes lines such as "[11/21/2026-10:00:00] [I] text": information to standard output, warnings
/// and errors to standard error, flushing each line. Messages of the library have the prefix
/// "[TRT]".
class Logger : public nvinfer1::ILogger {
public:
    /// Enables kVERBOSE messages. Default: disabled.
    void setVerbose(bool verbose) noexcept { verbose_ = verbose; }

    /// Called by the library.
    void log(Severity severity, nvinfer1::AsciiChar const* message) noexcept override;

    void write(Severity severity, std::string_view text) noexcept;

    template <typename... Args>
    void info(fmt::format_string<Args...> format, Args&&... args) {
        write(Severity::kINFO, fmt::format(format, std::forward<Args>(args)...));
    }
    template <typename... Args>
    void verbose(fmt::format_string<Args...> format, Args&&... args) {
        write(Severity::kVERBOSE, fmt::format(format, std::forward<Args>(args)...));
    }
    template <typename... Args>
    void warning(fmt::format_string<Args...> format, Args&&... args) {
        write(Severity::kWARNING, fmt::format(format, std::forward<Args>(args)...));
    }
    template <typename... Args>
    void error(fmt::format_string<Args...> format, Args&&... args) {
        write(Severity::kERROR, fmt::format(format, std::forward<Args>(args)...));
    }

private:
    void writeLine(Severity severity, std::string_view mark, std::string_view text) noexcept;

    std::mutex mutex_;
    bool verbose_ = false;
};

} // namespace kiln::trtexec
