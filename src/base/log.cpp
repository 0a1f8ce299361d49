// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <fmt/format.h>

#include "base/message_codes.h"

namespace kiln {

void Log::write(Severity severity, char const* text) const noexcept {
    if (logger_ != nullptr) {
        logger_->log(severity, text);
    }
}

void Log::print(Severity severity, fmt::string_view format, fmt::format_args args) const noexcept {
    if (logger_ == nullptr) {
        return;
    }
    try {
        std::string const text = fmt::vformat(format, args);
        write(severity, severity <= Severity::kWARNING ? withCode(text) : text);
        return;
    } catch (...) { // no memory for the whole text: try a part of it below
    }
    char line[501];
    try {
        *fmt::vformat_to_n(line, sizeof(line) - 1, format, args).out = '\0';
    } catch (...) {
        write(severity, "[kiln] host memory ran out, and a message with it. (kiln-3)");
        return;
    }
    write(severity, line);
}

} // namespace kiln
