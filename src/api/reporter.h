// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include <NvInferRuntime.h>

#include "base/error.h"
#include "base/log.h"
#include "plugin/late_reports.h"

namespace kiln::api {

/// Where the errors of one API object go: the user's logger and error recorder. The only place
/// where exceptions become error codes.
class Reporter {
public:
    explicit Reporter(Log log) : log_(log) {}
    ~Reporter() { setRecorder(nullptr); }
    Reporter(Reporter const&) = delete;
    Reporter& operator=(Reporter const&) = delete;

    Log const& log() const noexcept { return log_; }

    /// Counts one reference on the recorder, as the API asks; null takes the present one off.
    void setRecorder(nvinfer1::IErrorRecorder* recorder) noexcept;
    nvinfer1::IErrorRecorder* recorder() const noexcept { return recorder_; }

    // Neither needs memory: exhausted memory is reported as well.
    void report(ErrorKind kind, char const* text) const noexcept;
    /// Reports the exception that is being handled.
    [[gnu::cold]] void reportCurrent() const noexcept;

    /// Runs body(); an exception is reported and `otherwise` returned in place of a result.
    template <typename T, typename Body>
    T guard(T otherwise, Body&& body) const noexcept {
        try {
            return body();
        } catch (...) {
            reportCurrent();
            return otherwise;
        }
    }

    template <typename Body>
    void guard(Body&& body) const noexcept {
        try {
            body();
        } catch (...) {
            reportCurrent();
        }
    }

    /// Reports what plugins have to say on their way out, while a plugin::LateReports has it.
    plugin::LateReports::Sink lateSink() const {
        return [this](char const* text) { report(ErrorKind::kPlugin, text); };
    }

    /// Reports that something is not supported: "[kiln] top-k layer: not supported yet. ...".
    void refuse(char const* what) const noexcept;

private:
    Log log_;
    nvinfer1::IErrorRecorder* recorder_ = nullptr;
};

nvinfer1::ErrorCode codeOf(ErrorKind kind) noexcept;

} // namespace kiln::api
