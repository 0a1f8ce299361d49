// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Runs in a stream capture: work is recorded into a graph and not executed. Anything that must wait
// for work cannot be recorded; it is refused before the run records anything.
#include <algorithm>

#include "runtime/context.h"

namespace kiln::runtime {

bool Context::isActive(target::Capture state) {
    if (state != target::Capture::kInvalidated) {
        return state == target::Capture::kActive;
    }
    fail(ErrorKind::kInvalidState,
         "[run] the capture of the stream was ended before this run, by a call that cannot be "
         "recorded. Begin it again without that call.");
}

/// Whether the run must query the capture state. Launches of built-in kernels do not depend on it.
/// Engines of Python plugins need it only for error messages. They skip the query if runs follow
/// each other within kShortWhile: Python code does not begin a capture that fast, and the driver
/// answers slowly right after a launch.
bool Context::mayCapture(target::StreamHandle stream) const {
    return attached_ && (!unasked_ || stream != last_ || ticks() - left_ >= kShortWhile);
}

void Context::checkCapture() const {
    auto const refuse = [](std::string const& what, char const* remedy) {
        fail(ErrorKind::kInvalidState, "[run] {}, which a stream capture cannot wait for. {}", what,
             remedy);
    };
    if (sync_) {
        refuse("KILN_SYNC=1 or debug_sync waits for each layer",
               "Unset it before the stream is captured.");
    }
    if (profiler_ != nullptr) {
        refuse("the profiler measures when layers are done",
               "Take it from the context before the stream is captured.");
    }
    if (listener_ != nullptr &&
        std::find(debugOn_.begin(), debugOn_.end(), true) != debugOn_.end()) {
        refuse("the debug listener is shown tensors of this run",
               "Take it from the context before the stream is captured.");
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (!sizePoints_.writtenBy(i).empty() && needsSizes(i)) {
            refuse(stepName(i) + ": its sizes are needed on the host, and known only when it has "
                                 "run",
                   "Run this engine without a capture.");
        }
    }
}

/// Changed host values cannot be captured: every launch of the graph would upload them again, from
/// memory that may hold other values by then.
void Context::checkNothingToUpload() const {
    if (copies_.pending()) {
        fail(ErrorKind::kInvalidState,
             "[run] shapes or shape inputs changed, and their values have to be brought to the "
             "device, which a stream capture cannot record. Run once with these shapes before the "
             "stream is captured.");
    }
}

/// A plugin may have ended the capture without reporting an error.
void Context::checkStillCapturing(std::size_t step, target::StreamHandle stream) const {
    if (engine_.isPluginCode(step) && backend_.capture(stream) != target::Capture::kActive) {
        failCapture(step, fmt::format("[plugin] {}: enqueue ended the capture of the stream",
                                      stepName(step)));
    }
}

void Context::failCapture(std::size_t step, std::string const& text) const {
    bool const isPlugin = engine_.isPluginCode(step);
    fail(isPlugin ? ErrorKind::kPlugin : ErrorKind::kDevice, "{}{}", text,
         isPlugin ? "\nThe stream is being captured: there a plugin may only put work on the "
                    "stream that it is given. It cannot wait, allocate, or copy to or from "
                    "pageable memory; allocate where the plugin is attached to the context or "
                    "told of new shapes, or run this engine without a capture."
                  : "");
}

} // namespace kiln::runtime
