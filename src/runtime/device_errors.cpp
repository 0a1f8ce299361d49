// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_errors.h"

#include "base/text.h"

namespace kiln::runtime {

std::string stepName(plan::Document const& document, std::size_t step) {
    plan::StepRecord const& record = document.steps[step];
    if (!record.plugin.isNone()) {
        return fmt::format("layer '{}', plugin {}", record.name,
                           document.plugins[record.plugin].id.text());
    }
    if (record.control.has_value()) {
        return fmt::format("layer '{}' ({})", record.name, record.control->kindName());
    }
    return fmt::format("layer '{}' (kernel {}/{})", record.name, document.target,
                       record.kernel.kernel);
}

std::string withSuspects(plan::Document const& document, std::string const& text) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < document.steps.size(); ++i) {
        if (!document.steps[i].plugin.isNone()) {
            names.push_back(stepName(document, i));
        }
    }
    return fmt::format("{} {}. Set KILN_SYNC=1 to see which layer it was.", text,
                       names.empty() ? "There are no plugins in this engine"
                                     : "Plugins come first: " + join(names, "; "));
}

void blame(plan::Document const& document, Error const& error) {
    bool const named = std::string_view(error.what()).substr(0, 5) == "[run]";
    if (error.kind() != ErrorKind::kDevice || named) {
        throw;
    }
    fail(ErrorKind::kDevice, "[run] work of this engine or of the program failed. {}",
         withSuspects(document, error.what()));
}

void reportFaults(plan::Document const& document, Launches const& launches) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
        if (launches.instance(i).faulted()) {
            fail(ErrorKind::kDevice, "[run] {} failed: {}", stepName(document, i),
                 launches.instance(i).failureText());
        }
    }
}

} // namespace kiln::runtime
