// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <NvInferPlugin.h>
#include <kiln/kiln.h>

// Kiln has no built-in plugins that would have to be registered one by one: once the registry
// exists, all is done. The logger gets what the registry says of later registrations.
extern "C" TENSORRTAPI bool initLibNvInferPlugins(void* logger, char const* /*libNamespace*/) {
    if (logger != nullptr) {
        kiln::setDefaultLogger(static_cast<nvinfer1::ILogger*>(logger));
    }
    return getPluginRegistry() != nullptr;
}
