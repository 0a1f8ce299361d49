// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/creator_table.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/immortal.h"
#include "base/text.h"
#include "plugin/failure.h"

namespace kiln::plugin {
namespace {

bool isKind(nvinfer1::IPluginCreatorInterface* creator, std::string_view kind) noexcept {
    return creator != nullptr && orEmpty(creator->getInterfaceInfo().kind) == kind;
}

} // namespace

nvinfer1::IPluginCreator* asV2Creator(nvinfer1::IPluginCreatorInterface* creator) noexcept {
    return isKind(creator, "PLUGIN CREATOR_V1") ? static_cast<nvinfer1::IPluginCreator*>(creator)
                                                : nullptr;
}

nvinfer1::IPluginCreatorV3One* asV3Creator(nvinfer1::IPluginCreatorInterface* creator) noexcept {
    return isKind(creator, "PLUGIN CREATOR_V3ONE")
               ? static_cast<nvinfer1::IPluginCreatorV3One*>(creator)
               : nullptr;
}

nvinfer1::IPluginCreatorV3Quick* asQuickCreator(
    nvinfer1::IPluginCreatorInterface* creator) noexcept {
    return isKind(creator, "PLUGIN CREATOR_V3QUICK")
               ? static_cast<nvinfer1::IPluginCreatorV3Quick*>(creator)
               : nullptr;
}

PluginId idOf(nvinfer1::IPluginCreatorInterface& creator, std::string_view space) {
    PluginId id;
    char const* own = nullptr;
    takeReportedText();
    auto const read = [&](auto& known) {
        id.name = orEmpty(known.getPluginName());
        id.version = orEmpty(known.getPluginVersion());
        own = known.getPluginNamespace();
    };
    if (auto* const v2 = asV2Creator(&creator)) {
        read(*v2);
    } else if (auto* const v3 = asV3Creator(&creator)) {
        read(*v3);
    } else if (auto* const quick = asQuickCreator(&creator)) {
        read(*quick);
    } else {
        fail(ErrorKind::kUnsupported,
             "[registry] creator of interface kind '{}': expected IPluginCreator, "
             "IPluginCreatorV3One or IPluginCreatorV3Quick. Derive the creator from one of them.",
             orEmpty(creator.getInterfaceInfo().kind));
    }
    if (hasReportedText()) {
        fail(ErrorKind::kInvalidArgument, "[registry] creator '{}': {}", id.name,
             takeReportedText());
    }
    id.space = space.empty() ? std::string(orEmpty(own)) : std::string(space);
    if (id.name.empty() || id.version.empty()) {
        fail(
            ErrorKind::kInvalidArgument,
            "[registry] creator '{}', version '{}': expected a name and a version. Set both before "
            "the creator is registered.",
            id.name, id.version);
    }
    return id;
}

CreatorTable& CreatorTable::instance() {
    static Immortal<CreatorTable> table;
    return *table;
}

bool CreatorTable::add(nvinfer1::IPluginCreatorInterface& creator, std::string_view space,
                       std::shared_ptr<PluginLibrary const> library) {
    PluginId const id = idOf(creator, space); // calls the creator, so not under the lock
    {
        std::lock_guard const lock(mutex_);
        if (std::any_of(entries_.begin(), entries_.end(),
                        [&](Entry const& entry) { return entry.id == id; })) {
            return false;
        }
        entries_.push_back({id, &creator, std::move(library)});
    }
    if (auto* const v2 = asV2Creator(&creator); v2 != nullptr && !space.empty()) {
        v2->setPluginNamespace(id.space.c_str());
    }
    return true;
}

/// The caller destroys the entries outside the lock: closing a library runs the library's code,
/// which may call this table.
template <typename Matches>
std::list<CreatorTable::Entry> CreatorTable::takeOut(Matches matches) noexcept {
    std::list<Entry> taken;
    std::lock_guard const lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        auto const next = std::next(entry);
        if (matches(*entry)) {
            taken.splice(taken.end(), entries_, entry);
        }
        entry = next;
    }
    return taken;
}

bool CreatorTable::remove(nvinfer1::IPluginCreatorInterface const& creator) noexcept {
    return !takeOut([&](Entry const& entry) { return entry.creator == &creator; }).empty();
}

void CreatorTable::removeAll(PluginLibrary const& library) noexcept {
    takeOut([&](Entry const& entry) {
        return entry.library.get() == &library || library.owns(entry.creator);
    });
}

CreatorTable::Found CreatorTable::find(PluginId const& id) const {
    {
        std::lock_guard const lock(mutex_);
        for (Entry const& entry : entries_) {
            if (entry.id == id) {
                return {entry.creator, entry.library};
            }
        }
    }
    return parent_ != nullptr && searchParents_ ? parent_->find(id) : Found{};
}

std::vector<nvinfer1::IPluginCreatorInterface*> CreatorTable::all() const {
    std::lock_guard const lock(mutex_);
    std::vector<nvinfer1::IPluginCreatorInterface*> creators;
    for (Entry const& entry : entries_) {
        creators.push_back(entry.creator);
    }
    return creators;
}

std::vector<nvinfer1::IPluginCreatorInterface*> CreatorTable::allWithParents() const {
    std::vector<nvinfer1::IPluginCreatorInterface*> creators = all();
    if (parent_ != nullptr && searchParents_) {
        auto const more = parent_->allWithParents();
        creators.insert(creators.end(), more.begin(), more.end());
    }
    return creators;
}

std::string CreatorTable::spaceOf(nvinfer1::IPluginCreatorInterface const& creator) const {
    std::lock_guard const lock(mutex_);
    for (Entry const& entry : entries_) {
        if (entry.creator == &creator) {
            return entry.id.space;
        }
    }
    return {};
}

std::vector<PluginId> CreatorTable::idsWithParents() const {
    std::vector<PluginId> ids;
    {
        std::lock_guard const lock(mutex_);
        for (Entry const& entry : entries_) {
            ids.push_back(entry.id);
        }
    }
    if (parent_ != nullptr && searchParents_) {
        std::vector<PluginId> const more = parent_->idsWithParents();
        ids.insert(ids.end(), more.begin(), more.end());
    }
    return ids;
}

std::string CreatorTable::missText(PluginId const& id) const {
    std::vector<std::string> names;
    std::vector<std::string> same;
    for (PluginId const& known : idsWithParents()) {
        names.push_back(known.name);
        if (known.name == id.name) {
            same.push_back(known.text());
        }
    }
    std::string text = fmt::format("no creator for plugin {}", id.text());
    if (!same.empty()) {
        return fmt::format("{}; registered under that name: {}", text, join(same, ", "));
    }
    std::vector<std::string> const near = nearNames(id.name, names);
    return near.empty() ? text : fmt::format("{}; near names: {}", text, join(near, ", "));
}

} // namespace kiln::plugin
