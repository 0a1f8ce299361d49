// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/ticks.h"
#include "runtime/watchers.h"

namespace kiln::runtime {

/// Whether the current run of a context is recorded into a graph instead of being executed. What
/// must wait for work cannot be recorded; it is refused before the run records anything.
class CaptureState {
public:
    /// When a run must ask the device. Launches of built-in kernels do not depend on the answer.
    enum class Query {
        kNever,
        /// Engines of Python plugins need the answer only for error messages. They skip the query
        /// if runs follow each other within kShortWhile: Python code does not begin a capture that
        /// fast, and the driver answers slowly right after a launch.
        kAfterPause,
        kEachRun,
    };

    explicit CaptureState(Query query) noexcept : query_(query) {}

    bool recording() const noexcept { return recording_; }

    /// Whether a run on this stream must ask.
    bool due(target::StreamHandle stream) const noexcept {
        return query_ != Query::kNever && (query_ == Query::kEachRun || stream != lastStream_ ||
                                           ticks() - lastEnd_ >= kShortWhile);
    }
    /// Asks the device. Throws kInvalidState if a capture was ended by a call that cannot be
    /// recorded.
    void ask(target::Device const& device, target::StreamHandle stream);
    /// The run does not ask.
    void skip() noexcept { recording_ = false; }
    /// A run that only started its steps has ended.
    void endRun() noexcept {
        if (query_ == Query::kAfterPause) {
            lastEnd_ = ticks();
        }
    }

private:
    Query const query_;
    bool recording_ = false;
    target::StreamHandle lastStream_ = nullptr; ///< of the last run that asked
    uint64_t lastEnd_ = 0;                      ///< ticks() at its end; 0: ask again
};

/// Throws kInvalidState if a watcher waits for work.
void expectRecordable(Watchers const& watchers);

/// Throws kInvalidState: a step of a recorded run waits for sizes. `decider`: the loop or branch
/// that needs them; empty if there is none.
[[noreturn]] void refuseToWait(std::string const& step, std::string const& decider);

/// Throws kInvalidState: host values changed. Every launch of the graph would upload them again,
/// from memory that may hold other values by then.
[[noreturn]] void refuseUpload();
/// For a loop, a branch or a requirement whose decision kernels compute.
[[noreturn]] void refuseDecision(std::string const& step);

/// Throws kPlugin or kDevice, with the rules for plugins in a capture.
[[noreturn]] void failRecording(bool isPluginCode, std::string const& text);

} // namespace kiln::runtime
