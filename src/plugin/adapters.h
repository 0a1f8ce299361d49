// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "plugin/plugin_op.h"

namespace kiln::plugin {

/// Whether the adapter's destructor destroys the plugin object.
enum class Ownership { kOwned, kBorrowed };

/// Calls make(), which creates the adapter of a plugin. If make() throws, no adapter exists that
/// would destroy an owned plugin, so giveBack() does.
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

/// One adapter per plugin API generation. All throw kPlugin if the object lacks what its generation
/// requires (names, version, interfaces).
std::unique_ptr<PluginOp> adaptV2DynamicExt(nvinfer1::IPluginV2DynamicExt& plugin,
                                            Ownership ownership, std::string_view layer);
/// The generations with an implicit batch: `style` is kV2, kV2Ext or kV2IOExt.
std::unique_ptr<PluginOp> adaptV2Batch(nvinfer1::IPluginV2& plugin, PluginStyle style,
                                       Ownership ownership, std::string_view layer);
/// Both families of IPluginV3; the plugin's core capability selects one.
std::unique_ptr<PluginOp> adaptV3(nvinfer1::IPluginV3& plugin, Ownership ownership,
                                  std::string_view layer);
/// A plugin whose `core` is an IPluginV3QuickCore: decorated functions, just in time or ahead of
/// time.
std::unique_ptr<PluginOp> adaptQuick(nvinfer1::IPluginV3& plugin, Ownership ownership,
                                     nvinfer1::IPluginCapability& core, std::string_view layer);

/// Selects the adapter by the version tag of a V2 object, because its static type does not identify
/// the generation. Throws kUnsupported for unknown tags.
std::unique_ptr<PluginOp> adaptV2(nvinfer1::IPluginV2& plugin, Ownership ownership,
                                  std::string_view layer);

} // namespace kiln::plugin
