// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/plugin_registry.h"
#include "plugin/plugin_library.h"
#include "runtime/engine.h"

namespace kiln::api {

/// What an engine needs to find its plugins: the creators of a registry, before them those of the
/// libraries in the plan. The libraries are known to that engine alone, and are open as long as its
/// plugins live. What the Python source in the plan registers, where it is allowed to run, is known
/// to the whole process.
runtime::Engine::Creators creatorsFor(PluginRegistry const& registry, HandOver ways,
                                      bool pythonSourceAllowed, Log log);

} // namespace kiln::api
