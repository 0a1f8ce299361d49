// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_record.h"

#include <fmt/core.h>

namespace kiln::plugin {

char const* nameOf(PluginStyle style) noexcept {
    return style == PluginStyle::kV3 ? "IPluginV3" : "IPluginV2DynamicExt";
}

std::string PluginId::text() const {
    return fmt::format("{}{}{} (version {})", space, space.empty() ? "" : "::", name, version);
}

} // namespace kiln::plugin
