// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_REGISTRAR_H
#define KILN_API_PLUGIN_REGISTRAR_H

#include "kiln/api/plugin_registry.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

template <typename T>
class PluginRegistrar
{
public:
    PluginRegistrar()
    {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        getPluginRegistry()->registerCreator(instance, "");
#pragma GCC diagnostic pop
    }

private:
    T instance{};
};

} // namespace nvinfer1

#define REGISTER_TENSORRT_PLUGIN(name)                                                             \
    static nvinfer1::PluginRegistrar<name> pluginRegistrar##name {}

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_REGISTRAR_H
