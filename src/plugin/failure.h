// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "plugin/plugin_record.h"

namespace kiln::plugin {

/// Returns and clears the text that kilnReportPluginError left on this thread.
std::string takeReportedText();

/// Whether a callback on this thread reported an error since the last take.
bool hasReportedText() noexcept;

/// Names a callback in messages: "[plugin] layer 'x', plugin P (version 1), enqueue", in the
/// language of the plugin. Without the plugin where the id is empty.
std::string callbackName(std::string_view layer, PluginId const& id, std::string_view phase);

/// Limit on outputs: a larger count is an error of the plugin and would waste memory.
inline constexpr int32_t kMostOutputs = 1 << 12;

/// Throws kPlugin unless the count is 1 to kMostOutputs.
void checkOutputCount(std::string_view layer, PluginId const& id, int32_t count);

/// Throws kPlugin with the callback's name, `problem`, and the reported text if there is one.
[[noreturn]] void failCallback(std::string_view layer, PluginId const& id, std::string_view phase,
                               std::string_view problem);

} // namespace kiln::plugin
