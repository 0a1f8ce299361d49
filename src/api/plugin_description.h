// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "plugin/plugin_record.h"

namespace kiln::api {

/// The attributes that a plugin was saved as: numbers, lists of numbers, texts; what is neither is
/// told by its length.
nlohmann::ordered_json attributesOf(plugin::PluginRecord const& record);

/// The ahead-of-time code of a plugin: a list with target, architecture and kernels, each with its
/// entry, its scalar arguments and its images.
nlohmann::ordered_json codeOf(plugin::PluginRecord const& record);

} // namespace kiln::api
