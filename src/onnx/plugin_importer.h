// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Nodes that become plugins: the op_type is the plugin's name; the attributes `plugin_version`
// (default "1") and `plugin_namespace` (default "") are the rest of its key.
#pragma once

#include "kiln/api/plugin_creator_interface.h"
#include "onnx/node_context.h"

#include <string>

namespace kiln::onnx {

struct PluginKey {
    std::string name;
    std::string version;
    std::string pluginNamespace;
};

PluginKey pluginKeyOf(NodeContext& context);

// The creator in the registry of the network's builder; null, with a message of the registry, if
// none fits.
nvinfer1::IPluginCreatorInterface* findCreator(NodeContext& context, PluginKey const& key);

// Makes a plugin of the node and adds it to the network. Throws ImportError.
void importPlugin(NodeContext& context);

} // namespace kiln::onnx
