// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a program does with Kiln, in a form that exhausted memory can interrupt anywhere.
#pragma once

#include <memory>

#include <NvInfer.h>

namespace kiln::test {

/// Stores messages without allocating.
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

/// A job and the objects that it works on. Its own code allocates nothing, so every allocation is
/// Kiln's.
class Job {
public:
    virtual ~Job() = default;

    /// Creates what the job starts from, before memory fails. False is a mistake in the test.
    virtual bool prepare() { return true; }
    /// Does the work, or continues where an earlier call failed. False if a call reports a failure.
    /// Called while memory fails, and once more when it works again.
    virtual bool attempt() = 0;
    /// Whether the results of a successful attempt are right.
    virtual bool verify() { return true; }
    /// Destroys all objects; also called while memory fails.
    virtual void destroy() = 0;

    QuietLogger log;
    QuietRecorder recorder;
};

struct JobKind {
    char const* name;
    std::unique_ptr<Job> (*make)();
};

/// Returns false from the calling function if the condition does not hold.
#define KILN_TRY(condition)                                                                        \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return false;                                                                          \
        }                                                                                          \
    } while (false)

} // namespace kiln::test
