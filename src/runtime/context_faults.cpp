// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Finds the cause of device errors. Work on a device fails after the call that started it, so an
// error appears at a later call. Messages name the plugins of the engine first; KILN_SYNC=1 waits
// for every layer.
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "runtime/context.h"

namespace kiln::runtime {

bool Context::syncWanted() {
    char const* const value = std::getenv("KILN_SYNC");
    return value != nullptr && std::strcmp(value, "1") == 0;
}

/// "layer 'x', plugin P (version 1)" or "layer 'x' (kernel cuda/y)".
std::string Context::stepName(std::size_t step) const {
    plan::StepRecord const& record = document_.steps[step];
    if (record.plugin >= 0) {
        return fmt::format("layer '{}', plugin {}", record.name,
                           document_.plugins[static_cast<std::size_t>(record.plugin)].id.text());
    }
    return fmt::format("layer '{}' (kernel {}/{})", record.name, document_.target,
                       record.kernel.kernel);
}

/// Call it while the error is handled. Rethrows the error or, if it is a device error without a
/// source, throws one that names the possible causes.
void Context::blame(Error const& error) const {
    bool const named = std::string_view(error.what()).substr(0, 5) == "[run]";
    if (error.kind() != ErrorKind::kDevice || named || !separate_) {
        throw;
    }
    fail(ErrorKind::kDevice, "[run] work of this engine or of the program failed. {}",
         suspects(error.what()));
}

/// The device's message and the possible causes.
std::string Context::suspects(std::string const& words) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (document_.steps[i].plugin >= 0) {
            names.push_back(stepName(i));
        }
    }
    return fmt::format("{} {}. Set KILN_SYNC=1 to see which layer it was.", words,
                       names.empty() ? "There are no plugins in this engine"
                                     : "Plugins come first: " + join(names, "; "));
}

void Context::finish(target::StreamHandle stream) {
    withSuspects([&] { backend_.synchronize(stream); });
    if (separate_) {
        reportFaults();
    }
}

/// Throws if a kernel of a finished run found invalid operands.
void Context::reportFaults() const {
    for (std::size_t i = 0; i < instances_.size(); ++i) {
        if (instances_[i]->faulted()) {
            fail(ErrorKind::kDevice, "[run] {} failed: {}", stepName(i),
                 instances_[i]->failureText());
        }
    }
}

/// KILN_SYNC=1: the layer that was just started is the one that fails.
void Context::syncStep(std::size_t step, target::StreamHandle stream) const {
    try {
        backend_.synchronize(stream);
    } catch (Error const& error) {
        fail(error.kind(), "[run] {}: its work failed on the device. {}", stepName(step),
             error.what());
    }
    reportFaults();
}

void Context::failStep(Step const& step, target::StreamHandle stream) const {
    auto const index = static_cast<std::size_t>(&step - steps_.data());
    bool const isPlugin = document_.steps[index].plugin >= 0;
    std::string const text = isPlugin ? instances_[index]->failureText()
                                      : fmt::format("[run] {} failed: {}", stepName(index),
                                                    instances_[index]->failureText());
    if (capturing_ || backend_.capture(stream) != target::Capture::kNone) {
        failCapture(index, text);
    }
    if (std::string const earlier = backend_.knownFailure(stream); !earlier.empty()) {
        fail(ErrorKind::kDevice, "[run] {} could not run: earlier work failed. {}\n{}",
             stepName(index), suspects(earlier), text);
    }
    raise(isPlugin ? ErrorKind::kPlugin : ErrorKind::kDevice, text);
}

} // namespace kiln::runtime
