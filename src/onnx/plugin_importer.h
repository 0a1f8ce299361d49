// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Nodes that become plugins: the op_type is the plugin's name; the attributes `plugin_version`
// (default "1") and `plugin_namespace` (default "") are the rest of its key.
#pragma once

#include "kiln/api/plugin_creator_interface.h"
#include "onnx/node_context.h"

#include <string>
#include <string_view>

namespace kiln::onnx {

struct PluginKey {
    std::string name;
    std::string version;
    std::string pluginNamespace;
};

PluginKey pluginKeyOf(NodeContext& context);

// Whether the registry of the network's builder has a creator of this name, in any version. Unlike
// findCreator(), it logs nothing.
bool hasCreatorNamed(NodeContext& context, std::string_view name);

// The creator in that registry; null if none fits, with near names in the log.
nvinfer1::IPluginCreatorInterface* findCreator(NodeContext& context, PluginKey const& key);

// The creator for a node without an importer; ImportError if there is none.
nvinfer1::IPluginCreatorInterface& expectCreator(NodeContext& context);

// Creates a plugin for the node and adds it to the network. Throws ImportError.
void importPlugin(NodeContext& context);

} // namespace kiln::onnx
