// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// REGISTER_TENSORRT_PLUGIN: registers a creator when its library is loaded.
#pragma once

#include "kiln/api/plugin_registry.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Holds one creator of type T and registers it in the namespace "" on construction. The destructor
//! does not deregister it: registrars are static objects, destroyed when the process ends. Load
//! libraries that you want to unload with IPluginRegistry::loadLibrary() and deregisterLibrary().
template <typename T>
class PluginRegistrar {
public:
    PluginRegistrar() {
        // For IPluginCreator this selects the deprecated overload.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        getPluginRegistry()->registerCreator(instance, "");
#pragma GCC diagnostic pop
    }

private:
    T instance{};
};

} // namespace nvinfer1

//! Registers the creator class `name`, which must be default-constructible and named without `::`,
//! because the macro forms an identifier from it. Use it once, in a source file, in the namespace
//! of the class. The linker may drop the file from a static library: prefer a shared library.
#define REGISTER_TENSORRT_PLUGIN(name)                                                             \
    static nvinfer1::PluginRegistrar<name> pluginRegistrar##name {}

#pragma GCC visibility pop
