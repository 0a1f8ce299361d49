// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "plugin/plugin_record.h"

namespace kiln::plugin {

/// The name by which the author of a plugin knows a callback: getOutputShapes in C++,
/// get_output_shapes in Python, and num_outputs where Python has an attribute. `callback` starts
/// with the name of C++; what follows it, as in "getOutputDimensions(0)", stays.
std::string nameOfCallback(PluginId const& id, std::string_view callback);

} // namespace kiln::plugin
