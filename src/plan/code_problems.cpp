// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/code_problems.h"

#include "plugin/code/check_kernel.h"

namespace kiln::plan {
namespace {

/// Describes differences between the code and its record; empty if there are none.
std::string problemOf(plugin::AotKernel const& recorded, plugin::KernelContract const& contract) {
    plugin::AotKernel found = recorded;
    try {
        plugin::checkKernel(found, contract);
    } catch (Error const& error) {
        return error.what();
    }
    if (found.nullPointers != recorded.nullPointers) {
        return fmt::format(
            "kernel '{}': expected {} null pointers as the plan says, the code wants "
            "{}.",
            recorded.entry, recorded.nullPointers, found.nullPointers);
    }
    return {};
}

void addProblems(StepRecord const& step, plugin::PluginRecord const& record,
                 std::vector<std::string>& problems) {
    for (plugin::AotVariant const& variant : record.code) {
        plugin::KernelContract const contract{variant.target, variant.architecture,
                                              static_cast<int32_t>(step.inputs.size()),
                                              static_cast<int32_t>(step.outputs.size())};
        for (plugin::AotKernel const& kernel : variant.kernels) {
            if (std::string const problem = problemOf(kernel, contract); !problem.empty()) {
                problems.push_back(fmt::format("[plan] layer '{}', plugin {}, code for {}: {}",
                                               record.layer, record.id.text(), variant.architecture,
                                               problem));
            }
        }
    }
}

} // namespace

std::vector<std::string> codeProblems(Document const& document) {
    std::vector<std::string> problems;
    for (StepRecord const& step : document.steps) {
        for (PluginIndex const plugin : step.plugins()) { // one for each profile
            addProblems(step, document.plugins[plugin], problems);
        }
    }
    return problems;
}

} // namespace kiln::plan
