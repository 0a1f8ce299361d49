// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"
#include "plugin/plugin_record.h"

namespace kiln::api {

/// The saved fields of a plugin: numbers, lists of numbers and strings. For other types only the
/// size is shown.
Json attributesOf(plugin::PluginRecord const& record);

/// The ahead-of-time code of a plugin: a list of variants with target, architecture and kernels. A
/// kernel has its entry, scalar arguments and images.
Json codeOf(plugin::PluginRecord const& record);

} // namespace kiln::api
