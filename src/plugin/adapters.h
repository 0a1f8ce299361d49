// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "plugin/plugin_op.h"

namespace kiln::plugin {

/// Whether the adapter gives the plugin object back to its author when it goes.
enum class Ownership { kOwned, kBorrowed };

/// make(), which makes the adapter of a plugin. Where it throws, an adapter that would have owned
/// the plugin is not there to give it back: giveBack() does.
template <typename Make, typename GiveBack>
auto adapterOf(Ownership ownership, Make&& make, GiveBack&& giveBack) {
    try {
        return make();
    } catch (...) {
        if (ownership == Ownership::kOwned) {
            giveBack();
        }
        throw;
    }
}

/// One adapter per plugin API generation. All throw kPlugin when the object lacks what its
/// generation requires (names, version, interfaces).
std::unique_ptr<PluginOp> adaptV2DynamicExt(nvinfer1::IPluginV2DynamicExt& plugin,
                                            Ownership ownership, std::string_view layer);
/// The generations with a batch beside the shapes: `style` is kV2, kV2Ext or kV2IOExt.
std::unique_ptr<PluginOp> adaptV2Batch(nvinfer1::IPluginV2& plugin, PluginStyle style,
                                       Ownership ownership, std::string_view layer);
/// Both families of IPluginV3; which one the plugin's core says.
std::unique_ptr<PluginOp> adaptV3(nvinfer1::IPluginV3& plugin, Ownership ownership,
                                  std::string_view layer);
/// A plugin whose `core` is an IPluginV3QuickCore: decorated functions, just in time or ahead of
/// time.
std::unique_ptr<PluginOp> adaptQuick(nvinfer1::IPluginV3& plugin, Ownership ownership,
                                     nvinfer1::IPluginCapability& core, std::string_view layer);

/// Finds out the generation of a V2 object, whose static type does not tell. Throws kUnsupported
/// for tags that no generation has.
std::unique_ptr<PluginOp> adaptV2(nvinfer1::IPluginV2& plugin, Ownership ownership,
                                  std::string_view layer);

} // namespace kiln::plugin
