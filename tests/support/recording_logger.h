// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A logger and an error recorder that keep their messages.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <NvInferRuntime.h>

namespace kiln::test {

class RecordingLogger final : public nvinfer1::ILogger {
public:
    void log(Severity severity, char const* text) noexcept override {
        std::lock_guard const lock(mutex_);
        lines_.emplace_back(severity, text);
    }

    /// All lines of at least this severity.
    std::string text(Severity least = Severity::kVERBOSE) const {
        std::lock_guard const lock(mutex_);
        std::string all;
        for (auto const& [severity, line] : lines_) {
            if (severity <= least) {
                all += line + "\n";
            }
        }
        return all;
    }
    std::string errors() const { return text(Severity::kERROR); }
    bool has(std::string const& part, Severity least = Severity::kVERBOSE) const {
        return text(least).find(part) != std::string::npos;
    }
    /// Returns the errors so far and clears the log.
    std::string takeErrors() {
        std::string all = errors();
        clear();
        return all;
    }
    void clear() {
        std::lock_guard const lock(mutex_);
        lines_.clear();
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::pair<Severity, std::string>> lines_;
};

class RecordingRecorder final : public nvinfer1::IErrorRecorder {
public:
    int32_t getNbErrors() const noexcept override { return static_cast<int32_t>(errors.size()); }
    nvinfer1::ErrorCode getErrorCode(int32_t index) const noexcept override {
        return errors[static_cast<std::size_t>(index)].first;
    }
    ErrorDesc getErrorDesc(int32_t index) const noexcept override {
        return errors[static_cast<std::size_t>(index)].second.c_str();
    }
    bool hasOverflowed() const noexcept override { return false; }
    void clear() noexcept override { errors.clear(); }
    bool reportError(nvinfer1::ErrorCode code, ErrorDesc text) noexcept override {
        errors.emplace_back(code, text);
        return true;
    }
    RefCount incRefCount() noexcept override { return ++references; }
    RefCount decRefCount() noexcept override { return --references; }

    std::vector<std::pair<nvinfer1::ErrorCode, std::string>> errors;
    RefCount references = 0;
};

} // namespace kiln::test
