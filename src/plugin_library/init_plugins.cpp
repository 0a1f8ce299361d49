// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <NvInferPlugin.h>

// Kiln has no built-in plugins that would have to be registered one by one: once the registry
// exists, all is done. The logger and the namespace concern such plugins only.
extern "C" TENSORRTAPI bool initLibNvInferPlugins(void* /*logger*/, char const* /*libNamespace*/) {
    return getPluginRegistry() != nullptr;
}
