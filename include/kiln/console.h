// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of a logger on a terminal.
#pragma once

#include "NvInferRuntime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace kiln {

//! What a log line begins and ends with on a terminal: errors are red, warnings yellow, verbose
//! messages dim. The beginning also clears what a progress bar has drawn on the line.
struct LineColours {
    char const* begin = "";
    char const* end = "";
};

//! The colours of a message.
//!
//! \param severity of the message.
//! \param stream that the line is written to.
//!
//! \return Two empty texts unless the stream is a terminal, NO_COLOR is not set, and TERM is not
//!     "dumb". The texts are static.
//!
//! Example:
//! \code
//! kiln::LineColours const colours = kiln::lineColours(severity, stderr);
//! std::fprintf(stderr, "%s%s%s\n", colours.begin, message, colours.end);
//! \endcode
inline LineColours lineColours(nvinfer1::ILogger::Severity severity, std::FILE* stream) noexcept {
    using Severity = nvinfer1::ILogger::Severity;
    if (::isatty(::fileno(stream)) == 0) {
        return {};
    }
    char const* const plain = std::getenv("NO_COLOR");
    char const* const terminal = std::getenv("TERM");
    if ((plain != nullptr && *plain != '\0') ||
        (terminal != nullptr && std::strcmp(terminal, "dumb") == 0)) {
        return {};
    }
    switch (severity) {
    case Severity::kINTERNAL_ERROR:
    case Severity::kERROR: return {"\r\033[K\033[31m", "\033[0m"};
    case Severity::kWARNING: return {"\r\033[K\033[33m", "\033[0m"};
    case Severity::kINFO: return {"\r\033[K", ""};
    case Severity::kVERBOSE: return {"\r\033[K\033[2m", "\033[0m"};
    }
    return {};
}

} // namespace kiln
