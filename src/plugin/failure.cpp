// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/failure.h"

#include <utility>

#include <kiln/plugin_error.h>

#include "base/error.h"
#include "plugin/plugin_run.h"

namespace kiln::plugin {
namespace {

thread_local std::string reportedText;

/// Tells the run of a plugin, which looks there: what is a thread's own is dear to find.
void tellRun(bool reported) noexcept {
    if (PluginRunScope* const scope = PluginRunScope::current()) {
        scope->setReported(reported);
    }
}

} // namespace

std::string takeReportedText() {
    tellRun(false);
    return std::exchange(reportedText, {});
}

bool hasReportedText() noexcept {
    return !reportedText.empty();
}

std::string callbackName(std::string_view layer, PluginId const& id, std::string_view phase) {
    return fmt::format("[plugin] layer '{}', plugin {}, {}", layer, id.text(), phase);
}

void failCallback(std::string_view layer, PluginId const& id, std::string_view phase,
                  std::string_view problem) {
    std::string const reported = takeReportedText();
    fail(ErrorKind::kPlugin, "{}: {}{}{}", callbackName(layer, id, phase), problem,
         reported.empty() ? "" : "\n", reported);
}

void checkOutputCount(std::string_view layer, PluginId const& id, int32_t count) {
    if (count < 1 || count > kMostOutputs) {
        failCallback(layer, id, "getNbOutputs",
                     fmt::format("expected 1 to {}, returned {}", kMostOutputs, count));
    }
}

} // namespace kiln::plugin

extern "C" void kilnReportPluginError(char const* text) noexcept {
    try {
        kiln::plugin::reportedText = text == nullptr ? "" : text;
        kiln::plugin::tellRun(kiln::plugin::hasReportedText());
    } catch (...) { // no memory for the text: the plain failure is reported
    }
}

extern "C" char const* kilnTakePluginError() noexcept {
    thread_local std::string taken;
    taken = kiln::plugin::takeReportedText();
    return taken.c_str();
}
