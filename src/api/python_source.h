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

/// A module that a builder configuration holds.
struct OwnedSource {
    std::string name;
    std::string text;
    std::vector<plugin::PluginId> plugins;
};

/// Adds a module; the same one twice is one. Throws kInvalidArgument.
void addSource(std::vector<OwnedSource>& sources, PythonSource const& source);

/// What setPythonSourceAllowedByDefault() said.
bool sourceAllowedByDefault() noexcept;

/// Before the plugins of a plan are made: runs the Python source of those that are not registered.
/// Throws kInvalidState when it is needed and not `allowed`, or nothing here runs Python.
void provideSources(plan::Document const& document, plugin::CreatorTable const& creators,
                    bool allowed, Log const& log);

} // namespace kiln::api
