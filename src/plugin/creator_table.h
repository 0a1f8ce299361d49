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

/// Plugin creators by name, version and namespace: of the process, or of one builder or runtime
/// with the process's table as parent. Thread-safe. The table does not own creators: remove a
/// creator before it is destroyed.
class CreatorTable {
public:
    /// The process-wide table. Never destroyed, because plugin libraries may be unloaded after it.
    static CreatorTable& instance();

    /// `parent`, if there is one, must outlive the table.
    explicit CreatorTable(CreatorTable const* parent = nullptr) : parent_(parent) {}

    /// False if the creator's idOf() is taken. Keeps `library` open while the creator is
    /// registered.
    bool add(nvinfer1::IPluginCreatorInterface& creator, std::string_view space,
             std::shared_ptr<PluginLibrary const> library = nullptr);
    bool remove(nvinfer1::IPluginCreatorInterface const& creator) noexcept;
    /// Removes all creators that the library owns.
    void removeAll(PluginLibrary const& library) noexcept;

    struct Found {
        nvinfer1::IPluginCreatorInterface* creator = nullptr;
        std::shared_ptr<PluginLibrary const> library; ///< keeps the creator's code loaded
    };
    /// Null if neither the table nor, while they are searched, its parents have the id.
    Found find(PluginId const& id) const;
    void searchParents(bool wanted) noexcept { searchParents_ = wanted; }
    bool searchesParents() const noexcept { return searchParents_; }

    /// Creators in order of registration, without those of parents.
    std::vector<nvinfer1::IPluginCreatorInterface*> all() const;
    /// The same, followed by the creators of the parents that are searched.
    std::vector<nvinfer1::IPluginCreatorInterface*> allWithParents() const;
    /// The namespace in which a creator of this table is registered.
    std::string spaceOf(nvinfer1::IPluginCreatorInterface const& creator) const;

    /// The message for an unknown id: "no creator for plugin ...; near names: ...".
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
    std::list<Entry> entries_; ///< a list: destructors remove entries and must not allocate
};

/// The creator as this interface; null if it implements another one.
nvinfer1::IPluginCreator* asV2Creator(nvinfer1::IPluginCreatorInterface* creator) noexcept;
nvinfer1::IPluginCreatorV3One* asV3Creator(nvinfer1::IPluginCreatorInterface* creator) noexcept;
nvinfer1::IPluginCreatorV3Quick* asQuickCreator(
    nvinfer1::IPluginCreatorInterface* creator) noexcept;

/// The id under which a creator is registered: its own names, with namespace `space` unless that is
/// empty. Throws kInvalidArgument for a creator without name or version, kUnsupported for an
/// unknown kind.
PluginId idOf(nvinfer1::IPluginCreatorInterface& creator, std::string_view space);

} // namespace kiln::plugin
