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

/// Reports the errors of one API object to the user's logger and error recorder. Converts
/// exceptions to error codes.
class Reporter {
public:
    explicit Reporter(Log log) : log_(log) {}
    ~Reporter() { setRecorder(nullptr); }
    Reporter(Reporter const&) = delete;
    Reporter& operator=(Reporter const&) = delete;

    Log const& log() const noexcept { return log_; }

    /// Holds a reference to the recorder, as the API requires. Null removes the current recorder.
    void setRecorder(nvinfer1::IErrorRecorder* recorder) noexcept;
    nvinfer1::IErrorRecorder* recorder() const noexcept { return recorder_; }

    // These need no memory, so that they can report exhausted memory.
    void report(ErrorKind kind, char const* text) const noexcept;
    /// Reports the exception that is being handled.
    [[gnu::cold]] void reportCurrent() const noexcept;

    /// Runs body(). If it throws, reports the exception and returns `otherwise`.
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

    /// Sink for plugin::LateReports: reports errors that plugins raise while they are destroyed.
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
