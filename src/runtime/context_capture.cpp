// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Runs whose work is recorded into a graph instead of being done. Whatever has to wait for work can
// not be recorded: it refuses before anything is.
#include <algorithm>

#include "runtime/context.h"

namespace kiln::runtime {

bool Context::isActive(backend::Capture state) {
    if (state != backend::Capture::kInvalidated) {
        return state == backend::Capture::kActive;
    }
    fail(ErrorKind::kInvalidState,
         "[run] the capture of the stream was ended before this run, by a call that cannot be "
         "recorded. Begin it again without that call.");
}

/// Whether a capture may have begun since the last run, in a way that matters. Launches of built-in
/// kernels do not care. Engines of Python plugins need to know only to say whose fault it was, and
/// do not ask when they run over and over: in so short a while nobody begins a capture from Python,
/// and right behind a launch the driver is slow to answer.
bool Context::mayCapture(backend::StreamHandle stream) const {
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

/// Host values that changed would be uploaded again in every launch of the graph, from memory that
/// has other values by then.
void Context::checkNothingToUpload() const {
    if (copies_.pending()) {
        fail(ErrorKind::kInvalidState,
             "[run] shapes or shape inputs changed, and their values have to be brought to the "
             "device, which a stream capture cannot record. Run once with these shapes before the "
             "stream is captured.");
    }
}

/// A plugin may have ended the capture without telling.
void Context::checkStillCapturing(std::size_t step, backend::StreamHandle stream) const {
    if (engine_.isPluginCode(step) && backend_.capture(stream) != backend::Capture::kActive) {
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
