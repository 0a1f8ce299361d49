// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_record.h"

#include <fmt/core.h>

namespace kiln::plugin {

char const* nameOf(PluginStyle style) noexcept {
    switch (style) {
    case PluginStyle::kV2DynamicExt: return "IPluginV2DynamicExt";
    case PluginStyle::kV3: return "IPluginV3";
    case PluginStyle::kV2: return "IPluginV2";
    case PluginStyle::kV2Ext: return "IPluginV2Ext";
    case PluginStyle::kV2IOExt: return "IPluginV2IOExt";
    case PluginStyle::kQuick: return "IPluginV3Quick";
    case PluginStyle::kQuickAot: return "IPluginV3QuickAOT";
    }
    return "unknown";
}

bool isV3(PluginStyle style) noexcept {
    return style == PluginStyle::kV3 || style == PluginStyle::kQuick ||
           style == PluginStyle::kQuickAot;
}

std::string PluginId::text() const {
    return fmt::format("{}{}{} (version {})", space, space.empty() ? "" : "::", name, version);
}

} // namespace kiln::plugin
