// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <impl/NvInferPythonPlugin.h>

#include "base/log.h"
#include "plugin/plugin_library.h"
#include "plugin/plugin_record.h"

namespace kiln::plugin {

/// Plugin creators by name, version and namespace: those of the process, or of one builder or
/// runtime, with the former as parent. Thread-safe. The table keeps pointers only: a creator stays
/// its author's and must be taken out before it goes.
class CreatorTable {
public:
    /// The process-wide table. Never destroyed, since plugin libraries may be unloaded after it.
    static CreatorTable& instance();

    /// `parent`, if there is one, must outlive the table.
    explicit CreatorTable(CreatorTable const* parent = nullptr) : parent_(parent) {}

    /// False if what idOf() says is taken. `library` is kept open while the creator is in.
    bool add(nvinfer1::IPluginCreatorInterface& creator, std::string_view space,
             std::shared_ptr<PluginLibrary const> library = nullptr);
    bool remove(nvinfer1::IPluginCreatorInterface const& creator) noexcept;
    /// Takes out whatever the library owns.
    void removeAll(PluginLibrary const& library) noexcept;

    struct Found {
        nvinfer1::IPluginCreatorInterface* creator = nullptr;
        std::shared_ptr<PluginLibrary const> library; ///< keeps the code of the creator
    };
    /// Null if neither the table nor, while they are searched, its parents have it.
    Found find(PluginId const& id) const;
    void searchParents(bool wanted) noexcept { searchParents_ = wanted; }
    bool searchesParents() const noexcept { return searchParents_; }

    /// Creators in order of registration, without those of parents.
    std::vector<nvinfer1::IPluginCreatorInterface*> all() const;
    /// The same, followed by those of the parents that are searched.
    std::vector<nvinfer1::IPluginCreatorInterface*> allWithParents() const;
    /// The namespace that a creator of this table is registered in.
    std::string spaceOf(nvinfer1::IPluginCreatorInterface const& creator) const;

    /// "No plugin ... Near names: ..." for a miss.
    std::string missText(PluginId const& id) const;

private:
    struct Entry {
        PluginId id;
        nvinfer1::IPluginCreatorInterface* creator;
        std::shared_ptr<PluginLibrary const> library;
    };
    template <typename Matches>
    std::list<Entry> takeOut(Matches matches) noexcept;
    std::vector<PluginId> idsWithParents() const;

    CreatorTable const* parent_;
    std::atomic<bool> searchParents_{true};
    mutable std::mutex mutex_;
    std::list<Entry> entries_; ///< taken out without an allocation: destructors do it
};

/// Which interface a creator implements; null where it is another one.
nvinfer1::IPluginCreator* asV2Creator(nvinfer1::IPluginCreatorInterface* creator) noexcept;
nvinfer1::IPluginCreatorV3One* asV3Creator(nvinfer1::IPluginCreatorInterface* creator) noexcept;
nvinfer1::IPluginCreatorV3Quick* asQuickCreator(
    nvinfer1::IPluginCreatorInterface* creator) noexcept;

/// What a creator is registered under: its own names, and `space` unless that is empty. Throws
/// kInvalidArgument for a creator without name or version or of an unknown kind.
PluginId idOf(nvinfer1::IPluginCreatorInterface& creator, std::string_view space);

} // namespace kiln::plugin
