// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/plugin_registry.h"
#include "plugin/plugin_library.h"
#include "runtime/engine.h"

namespace kiln::api {

/// Returns a function that finds the plugin creators for an engine: those of the libraries in the
/// plan, then those of the registry. Only that engine uses the libraries, which stay open while its
/// plugins exist. Python sources in the plan, if allowed to run, register for the whole process.
runtime::Engine::Creators creatorsFor(PluginRegistry const& registry, HandOver ways,
                                      bool pythonSourceAllowed, Log log);

} // namespace kiln::api
