// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "logger.h"

#include <array>
#include <cstdio>
#include <ctime>

#include <kiln/console.h>
#include <kiln/message_code.h>

namespace kiln::trtexec {
namespace {

char letterOf(Severity severity) {
    switch (severity) {
    case Severity::kINTERNAL_ERROR: return 'F';
    case Severity::kERROR: return 'E';
    case Severity::kWARNING: return 'W';
    case Severity::kINFO: return 'I';
    case Severity::kVERBOSE: return 'V';
    }
    return '?';
}

} // namespace

void Logger::log(Severity severity, nvinfer1::AsciiChar const* message) noexcept {
    writeLine(severity, "[TRT] ", message != nullptr ? message : "");
}

void Logger::write(Severity severity, std::string_view text) noexcept {
    if (severity > Severity::kWARNING) {
        writeLine(severity, "", text);
        return;
    }
    try {
        writeLine(severity, "", withMessageCode(std::string(text).c_str()));
    } catch (...) { // no memory for the code
        writeLine(severity, "", text);
    }
}

void Logger::writeLine(Severity severity, std::string_view mark, std::string_view text) noexcept {
    if (severity == Severity::kVERBOSE && !verbose_) {
        return;
    }
    std::time_t const now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    std::array<char, 32> stamp{};
    std::strftime(stamp.data(), stamp.size(), "%m/%d/%Y-%H:%M:%S", &local);
    std::FILE* const stream = severity <= Severity::kWARNING ? stderr : stdout;
    // Plain stdio: formatting could throw, and this is called from noexcept code.
    std::lock_guard<std::mutex> const lock(mutex_);
    LineColours const colours = lineColours(severity, stream);
    std::fprintf(stream, "%s[%s] [%c] %.*s%.*s%s\n", colours.begin, stamp.data(),
                 letterOf(severity), static_cast<int>(mark.size()), mark.data(),
                 static_cast<int>(text.size()), text.data(), colours.end);
    std::fflush(stream);
}

} // namespace kiln::trtexec
