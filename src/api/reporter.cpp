// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/reporter.h"

#include <string>

#include "api/last_error.h"
#include "base/message_codes.h"

namespace kiln::api {

nvinfer1::ErrorCode codeOf(ErrorKind kind) noexcept {
    using nvinfer1::ErrorCode;
    switch (kind) {
    case ErrorKind::kInvalidArgument: return ErrorCode::kINVALID_ARGUMENT;
    case ErrorKind::kInvalidState: return ErrorCode::kINVALID_STATE;
    case ErrorKind::kUnsupported: return ErrorCode::kUNSUPPORTED_STATE;
    case ErrorKind::kOutOfMemory: return ErrorCode::kFAILED_ALLOCATION;
    case ErrorKind::kCorruptData: return ErrorCode::kINVALID_ARGUMENT;
    case ErrorKind::kDevice: return ErrorCode::kFAILED_EXECUTION;
    case ErrorKind::kPlugin: return ErrorCode::kUNSPECIFIED_ERROR;
    case ErrorKind::kInternal: return ErrorCode::kINTERNAL_ERROR;
    }
    return ErrorCode::kUNSPECIFIED_ERROR;
}

void Reporter::setRecorder(nvinfer1::IErrorRecorder* recorder) noexcept {
    if (recorder != nullptr) {
        recorder->incRefCount();
    }
    if (recorder_ != nullptr) {
        recorder_->decRefCount();
    }
    recorder_ = recorder;
}

void Reporter::report(ErrorKind kind, char const* text) const noexcept {
    std::string coded;
    text = withCode(text, coded);
    keepLastError(text);
    log_.write(kind == ErrorKind::kInternal ? Severity::kINTERNAL_ERROR : Severity::kERROR, text);
    if (recorder_ != nullptr) {
        recorder_->reportError(codeOf(kind), text);
    }
}

void Reporter::reportCurrent() const noexcept {
    Failure const failure = currentFailure();
    report(failure.kind, failure.text);
}

void Reporter::refuse(char const* what) const noexcept {
    guard([&] {
        fail(ErrorKind::kUnsupported, "[kiln] {}: not supported yet. The README lists what is.",
             what);
    });
}

} // namespace kiln::api
