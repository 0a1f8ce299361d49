// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/failure.h"

#include <utility>

#include <kiln/plugin_error.h>

#include "base/error.h"

namespace kiln::plugin {
namespace {

thread_local std::string reportedText;

} // namespace

std::string takeReportedText() {
    textReported = false;
    return std::exchange(reportedText, {});
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

} // namespace kiln::plugin

extern "C" void kilnReportPluginError(char const* text) noexcept {
    try {
        kiln::plugin::reportedText = text == nullptr ? "" : text;
        kiln::plugin::textReported = !kiln::plugin::reportedText.empty();
    } catch (...) { // no memory for the text: the plain failure is reported
    }
}

extern "C" char const* kilnTakePluginError() noexcept {
    thread_local std::string taken;
    taken = kiln::plugin::takeReportedText();
    return taken.c_str();
}
