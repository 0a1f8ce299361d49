// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kiln/python_source.h>

#include "base/log.h"
#include "plan/document.h"
#include "plugin/creator_table.h"

namespace kiln::api {

/// A Python module in a builder configuration.
struct OwnedSource {
    std::string name;
    std::string text;
    std::vector<plugin::PluginId> plugins;
};

/// Adds a module unless it is already present. Throws kInvalidArgument for incomplete data, or a
/// different text under the same name.
void addSource(std::vector<OwnedSource>& sources, PythonSource const& source);

/// The value of setPythonSourceAllowedByDefault().
bool sourceAllowedByDefault() noexcept;

/// Runs the Python sources of a plan that register missing plugins. Call before the plugins are
/// created. Throws kInvalidState if a source is needed but not `allowed` or Python is not
/// available, kPlugin if it fails.
void provideSources(plan::Document const& document, plugin::CreatorTable const& creators,
                    bool allowed, Log const& log);

} // namespace kiln::api
