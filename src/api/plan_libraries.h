// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/plugin_registry.h"
#include "plugin/plugin_library.h"
#include "runtime/engine.h"

namespace kiln::api {

/// Whether host code of a plan may run, and how it may be handed to the loader.
struct HostCode {
    bool allowed = false;
    HandOver ways;
};

/// What an engine needs to find its plugins: the creators of a registry, before them those of the
/// libraries in the plan. The libraries are known to that engine alone, and are open as long as its
/// plugins live.
runtime::Engine::Creators creatorsFor(PluginRegistry const& registry, HostCode hostCode);

} // namespace kiln::api
