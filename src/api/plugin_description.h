// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"
#include "plugin/plugin_record.h"

namespace kiln::api {

/// The attributes that a plugin was saved as: numbers, lists of numbers, texts; what is neither is
/// told by its length.
Json attributesOf(plugin::PluginRecord const& record);

/// The ahead-of-time code of a plugin: a list with target, architecture and kernels, each with its
/// entry, its scalar arguments and its images.
Json codeOf(plugin::PluginRecord const& record);

} // namespace kiln::api
