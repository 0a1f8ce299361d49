// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Messages to the user's logger, with the parser's tag.
#pragma once

#include "kiln/api/logger.h"
#include "kiln/message_code.h"
#include "onnx/text.h"

namespace kiln::onnx {

class Log {
public:
    explicit Log(nvinfer1::ILogger& logger) : logger_(&logger) {}

    template <typename... Parts>
    void operator()(nvinfer1::ILogger::Severity severity, Parts const&... parts) const {
        std::string const whole = text("[onnx] ", parts...);
        bool const hasCode = severity <= nvinfer1::ILogger::Severity::kWARNING;
        // A copy, because the logger may call Kiln.
        logger_->log(severity,
                     (hasCode ? std::string(withMessageCode(whole.c_str())) : whole).c_str());
    }

    // Logs a text that has its tag, without an allocation.
    void plain(nvinfer1::ILogger::Severity severity, char const* message) const noexcept {
        logger_->log(severity, message);
    }

private:
    nvinfer1::ILogger* logger_;
};

} // namespace kiln::onnx
