// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/failure.h"

#include <utility>

#include <kiln/plugin_error.h>

#include "base/error.h"
#include "base/per_thread.h"
#include "plugin/callback_name.h"
#include "plugin/plugin_run.h"

namespace kiln::plugin {
namespace {

PerThread<std::string> reportedText;
constinit thread_local bool reportedAny = false; ///< also set if there was no memory for the text

/// Also sets the flag in the current PluginRunScope, which a run reads faster than thread-local
/// memory.
void setReported(bool reported) noexcept {
    reportedAny = reported;
    if (PluginRunScope* const scope = PluginRunScope::current()) {
        scope->setReported(reported);
    }
}

} // namespace

std::string takeReportedText() {
    bool const any = reportedAny;
    setReported(false);
    std::string* const kept = reportedText.find();
    if (!any || kept == nullptr || kept->empty()) {
        return any ? "no memory" : ""; // needs no allocation (short string)
    }
    return std::exchange(*kept, {});
}

bool hasReportedText() noexcept {
    return reportedAny;
}

std::string callbackName(std::string_view layer, PluginId const& id, std::string_view phase) {
    std::string const plugin = id == PluginId() ? "" : fmt::format("plugin {}, ", id.text());
    return fmt::format("[plugin] layer '{}', {}{}", layer, plugin, nameOfCallback(id, phase));
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
    using namespace kiln::plugin;
    bool const any = text != nullptr && *text != '\0';
    if (any || reportedAny) {
        setReported(any);
        try {
            reportedText.get() = any ? text : "";
        } catch (...) { // no memory for the text: the flag stays set
            if (std::string* const kept = reportedText.find()) {
                kept->clear();
            }
        }
    }
}

extern "C" char const* kilnTakePluginError() noexcept {
    static kiln::PerThread<std::string> taken;
    std::string text = kiln::plugin::takeReportedText();
    try {
        return (taken.get() = std::move(text)).c_str();
    } catch (...) {
        return text.empty() ? "" : "no memory";
    }
}
