// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <NvInferRuntime.h>

#include "base/log.h"
#include "plugin/plugin_op.h"
#include "plugin/plugin_record.h"

namespace kiln::plugin {

/// All plugin creators of the process, by name, version and namespace. Thread-safe. The table keeps
/// pointers only: a creator stays its author's and must be taken out before it goes.
class CreatorTable {
public:
    /// The process-wide table. Never destroyed, since plugin libraries may be unloaded after it.
    static CreatorTable& instance();

    /// False if what idOf() says is taken.
    bool add(nvinfer1::IPluginCreatorInterface& creator, std::string_view space);
    bool remove(nvinfer1::IPluginCreatorInterface const& creator);

    nvinfer1::IPluginCreatorInterface* find(PluginId const& id) const;
    /// Creators in order of registration.
    std::vector<nvinfer1::IPluginCreatorInterface*> all() const;

    /// "No plugin ... Near names: ..." for a miss.
    std::string missText(PluginId const& id) const;

private:
    struct Entry {
        PluginId id;
        nvinfer1::IPluginCreatorInterface* creator;
    };
    mutable std::mutex mutex_;
    std::vector<Entry> entries_;
};

/// Which interface a creator implements; null where it is the other one.
nvinfer1::IPluginCreator* asV2Creator(nvinfer1::IPluginCreatorInterface* creator) noexcept;
nvinfer1::IPluginCreatorV3One* asV3Creator(nvinfer1::IPluginCreatorInterface* creator) noexcept;

/// What a creator is registered under: its own names, and `space` unless that is empty. Throws
/// kInvalidArgument for a creator without name or version or of an unknown kind.
PluginId idOf(nvinfer1::IPluginCreatorInterface& creator, std::string_view space);

/// Makes the plugin of a plan again, through its creator. Throws kPlugin with the remedy when the
/// creator is missing or fails.
std::unique_ptr<PluginOp> restorePlugin(PluginRecord const& record);

} // namespace kiln::plugin
