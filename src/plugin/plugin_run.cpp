// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_run.h"

namespace kiln::plugin {

PluginRunScope*& PluginRunScope::slot() noexcept {
    static constinit thread_local PluginRunScope* current = nullptr;
    return current;
}

} // namespace kiln::plugin
