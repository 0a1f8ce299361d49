// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <NvInferPlugin.h>
#include <kiln/kiln.h>

// Kiln has no built-in plugins to register, so this creates the registry and sets the default
// logger, which receives the registry's later messages.
extern "C" TENSORRTAPI bool initLibNvInferPlugins(void* logger, char const* /*libNamespace*/) {
    if (logger != nullptr) {
        kiln::setDefaultLogger(static_cast<nvinfer1::ILogger*>(logger));
    }
    return getPluginRegistry() != nullptr;
}
