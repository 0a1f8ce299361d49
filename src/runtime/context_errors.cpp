// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Errors of a run: what failed, why, and what a captured run refuses.
#include "runtime/context.h"
#include "runtime/control.h"

namespace kiln::runtime {

void Context::failBusy() {
    fail(ErrorKind::kInvalidState,
         "[run] the execution context is running already, in another thread or below a plugin that "
         "it calls. Create a context for each thread.");
}

void Context::finish(target::StreamHandle stream) {
    withBlame([&] { device_.synchronize(stream); });
    if (!onHost_) {
        reportFaults(document_, launches_);
    }
}

bool Context::reportTimes() {
    bool reported = false;
    withBlame([&] { reported = watchers_.reportTimes(); });
    return reported;
}

/// Refuses what waits for work, before the run records anything.
void Context::expectRecordableRun() const {
    expectRecordable(watchers_);
    for (std::size_t i = 0; i < launches_.size(); ++i) {
        auto const& control = document_.steps[i].control;
        if (control.has_value() && control->waits()) {
            refuseDecision(stepName(document_, i));
        }
        if (!points_.writtenBy(i).empty() && needsSizes(i)) {
            refuseToWait(stepName(document_, i), deciderAfter(document_, points_, i));
        }
    }
}

/// A plugin may have ended the capture without reporting an error.
void Context::expectStillRecording(std::size_t step, target::StreamHandle stream) const {
    if (engine_.isPluginCode(step) && device_.capture(stream) != target::Capture::kActive) {
        failRecording(true, fmt::format("[plugin] {}: enqueue ended the capture of the stream",
                                        stepName(document_, step)));
    }
}

/// KILN_SYNC=1: the layer that was just started is the one that fails.
void Context::waitForStep(std::size_t step, target::StreamHandle stream) const {
    try {
        device_.synchronize(stream);
    } catch (Error const& error) {
        fail(error.kind(), "[run] {}: its work failed on the device. {}", stepName(document_, step),
             error.what());
    }
    reportFaults(document_, launches_);
}

void Context::failStarted(Launches::Step const& step, target::StreamHandle stream) const {
    failStep(launches_.indexOf(step), stream);
}

void Context::failStep(std::size_t step, target::StreamHandle stream) const {
    bool const isPlugin = !document_.steps[step].plugin.isNone();
    std::string const reason = launches_.instance(step).failureText();
    std::string const text =
        isPlugin ? reason : fmt::format("[run] {} failed: {}", stepName(document_, step), reason);
    if (capture_.recording() || device_.capture(stream) != target::Capture::kNone) {
        failRecording(engine_.isPluginCode(step), text);
    }
    if (std::string const earlier = device_.knownFailure(stream); !earlier.empty()) {
        fail(ErrorKind::kDevice, "[run] {} could not run: earlier work failed. {}\n{}",
             stepName(document_, step), withSuspects(document_, earlier), text);
    }
    raise(isPlugin ? ErrorKind::kPlugin : ErrorKind::kDevice, text);
}

} // namespace kiln::runtime
