// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a program does with Kiln, in a form that can be interrupted by exhausted memory anywhere.
#pragma once

#include <memory>

#include <NvInfer.h>

namespace kiln::test {

/// Keeps what it is told without allocating.
class QuietLogger final : public nvinfer1::ILogger {
public:
    void log(Severity severity, char const* text) noexcept override;
    void clear() noexcept { errors = 0; }

    int32_t errors = 0;  ///< of severity kERROR and worse
    char last[512] = ""; ///< the last of them
};

class QuietRecorder final : public nvinfer1::IErrorRecorder {
public:
    int32_t getNbErrors() const noexcept override { return reported; }
    nvinfer1::ErrorCode getErrorCode(int32_t) const noexcept override { return last; }
    ErrorDesc getErrorDesc(int32_t) const noexcept override { return ""; }
    bool hasOverflowed() const noexcept override { return false; }
    void clear() noexcept override { reported = 0; }
    bool reportError(nvinfer1::ErrorCode code, ErrorDesc) noexcept override {
        last = code;
        ++reported;
        allocations += code == nvinfer1::ErrorCode::kFAILED_ALLOCATION ? 1 : 0;
        return true;
    }
    RefCount incRefCount() noexcept override { return ++references; }
    RefCount decRefCount() noexcept override { return --references; }

    int32_t reported = 0;
    int32_t allocations = 0; ///< those of kFAILED_ALLOCATION
    RefCount references = 0;
    nvinfer1::ErrorCode last = nvinfer1::ErrorCode::kSUCCESS;
};

/// One job, with the objects that it works on. Its own code allocates nothing, so every allocation
/// is Kiln's.
class Job {
public:
    virtual ~Job() = default;

    /// Before memory fails: what the job starts from. False is a mistake of the test.
    virtual bool prepare() { return true; }
    /// Does the work, or goes on with it where an earlier call failed. False: a call said that it
    /// failed. Called while memory fails, and once more when it is there again.
    virtual bool attempt() = 0;
    /// After an attempt that succeeded: whether the results are right.
    virtual bool verify() { return true; }
    /// Destroys all objects; called while memory fails, too.
    virtual void destroy() = 0;

    QuietLogger log;
    QuietRecorder recorder;
};

struct JobKind {
    char const* name;
    std::unique_ptr<Job> (*make)();
};

/// Whether `object` is there; destroys nothing.
#define KILN_TRY(condition)                                                                        \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return false;                                                                          \
        }                                                                                          \
    } while (false)

} // namespace kiln::test
