// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// REGISTER_TENSORRT_PLUGIN: registers a creator when its library is loaded.
#pragma once

#include "kiln/api/plugin_registry.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Holds one creator of type T and registers it, in the namespace "", when it is constructed. It is
//! not deregistered when the holder goes away: holders are static objects, and at the end of a
//! process nobody looks creators up any more. A library that is to be closed goes through
//! IPluginRegistry::loadLibrary() and deregisterLibrary().
template <typename T>
class PluginRegistrar {
public:
    PluginRegistrar() {
        // For the older creators this picks the overload that is marked as superseded.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        getPluginRegistry()->registerCreator(instance, "");
#pragma GCC diagnostic pop
    }

private:
    T instance{};
};

} // namespace nvinfer1

//! Registers the creator class `name`, which must be default-constructible and, since the macro
//! makes an identifier of it, named without `::`. Write it once, in a source file, in the namespace
//! of the class. In a static library the linker may drop the file: prefer a shared one.
#define REGISTER_TENSORRT_PLUGIN(name)                                                             \
    static nvinfer1::PluginRegistrar<name> pluginRegistrar##name {}

#pragma GCC visibility pop
