// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/creator_table.h"

#include <algorithm>

#include "base/text.h"
#include "plugin/adapters.h"
#include "plugin/callback.h"
#include "plugin/field_values.h"

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

PluginId idOf(nvinfer1::IPluginCreatorInterface& creator, std::string_view space) {
    PluginId id;
    char const* own = nullptr;
    takeReportedText();
    if (auto* const v2 = asV2Creator(&creator)) {
        id.name = orEmpty(v2->getPluginName());
        id.version = orEmpty(v2->getPluginVersion());
        own = v2->getPluginNamespace();
    } else if (auto* const v3 = asV3Creator(&creator)) {
        id.name = orEmpty(v3->getPluginName());
        id.version = orEmpty(v3->getPluginVersion());
        own = v3->getPluginNamespace();
    } else {
        fail(ErrorKind::kUnsupported,
             "[registry] creator of interface kind '{}': expected IPluginCreator or "
             "IPluginCreatorV3One. Derive the creator from one of them.",
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
    static auto* const table = new CreatorTable;
    return *table;
}

bool CreatorTable::add(nvinfer1::IPluginCreatorInterface& creator, std::string_view space) {
    PluginId const id = idOf(creator, space); // calls the creator: not under the lock
    {
        std::lock_guard const lock(mutex_);
        if (std::any_of(entries_.begin(), entries_.end(),
                        [&](Entry const& entry) { return entry.id == id; })) {
            return false;
        }
        entries_.push_back({id, &creator});
    }
    if (auto* const v2 = asV2Creator(&creator); v2 != nullptr && !space.empty()) {
        v2->setPluginNamespace(id.space.c_str());
    }
    return true;
}

bool CreatorTable::remove(nvinfer1::IPluginCreatorInterface const& creator) {
    std::lock_guard const lock(mutex_);
    return std::erase_if(entries_, [&](Entry const& entry) { return entry.creator == &creator; }) !=
           0;
}

nvinfer1::IPluginCreatorInterface* CreatorTable::find(PluginId const& id) const {
    std::lock_guard const lock(mutex_);
    for (Entry const& entry : entries_) {
        if (entry.id == id) {
            return entry.creator;
        }
    }
    return nullptr;
}

std::vector<nvinfer1::IPluginCreatorInterface*> CreatorTable::all() const {
    std::lock_guard const lock(mutex_);
    std::vector<nvinfer1::IPluginCreatorInterface*> creators;
    for (Entry const& entry : entries_) {
        creators.push_back(entry.creator);
    }
    return creators;
}

std::string CreatorTable::missText(PluginId const& id) const {
    std::vector<std::string> names;
    std::vector<std::string> same;
    {
        std::lock_guard const lock(mutex_);
        for (Entry const& entry : entries_) {
            names.push_back(entry.id.name);
            if (entry.id.name == id.name) {
                same.push_back(entry.id.text());
            }
        }
    }
    std::string text = fmt::format("no creator for plugin {}", id.text());
    if (!same.empty()) {
        return fmt::format("{}; registered under that name: {}", text, join(same, ", "));
    }
    std::vector<std::string> const near = nearNames(id.name, names);
    return near.empty() ? text : fmt::format("{}; near names: {}", text, join(near, ", "));
}

std::unique_ptr<PluginOp> restorePlugin(PluginRecord const& record) {
    nvinfer1::IPluginCreatorInterface* const found = CreatorTable::instance().find(record.id);
    if (found == nullptr) {
        fail(ErrorKind::kPlugin,
             "[plan] layer '{}' needs plugin {} ({}, {}): {}. Register it before the plan is "
             "loaded, or pass --plugins={} to trtexec.",
             record.layer, record.id.text(), record.needsPython ? "Python" : "C++",
             nameOf(record.style), CreatorTable::instance().missText(record.id),
             record.needsPython ? "FILE.py" : "LIBRARY.so");
    }
    PluginId const& id = record.id;
    if (record.style != PluginStyle::kV3) {
        nvinfer1::IPluginCreator* const creator = asV2Creator(found);
        if (creator == nullptr) {
            failCallback(record.layer, id, "deserializePlugin",
                         fmt::format("expected a creator of {}, found one of IPluginV3. Register "
                                     "the plugin that the plan was built with",
                                     nameOf(record.style)));
        }
        nvinfer1::IPluginV2* const plugin = makingCallback(
            record.layer, id, "deserializePlugin",
            [&] {
                return creator->deserializePlugin(record.layer.c_str(), record.blob.data(),
                                                  record.blob.size());
            },
            [](nvinfer1::IPluginV2* made) { made->destroy(); });
        std::unique_ptr<PluginOp> op = adaptV2(*plugin, Ownership::kOwned, record.layer);
        if (op->style() != record.style) {
            failCallback(record.layer, id, "deserializePlugin",
                         fmt::format("expected an {}, returned an {}. Register the plugin that the "
                                     "plan was built with",
                                     nameOf(record.style), nameOf(op->style())));
        }
        return op;
    }
    nvinfer1::IPluginCreatorV3One* const creator = asV3Creator(found);
    if (creator == nullptr) {
        failCallback(record.layer, id, "createPlugin",
                     "expected a creator of IPluginV3, found one of the IPluginV2 family. Register "
                     "the plugin that the plan was built with");
    }
    FieldView const fields(record.fields);
    nvinfer1::IPluginV3* const plugin = makingCallback(
        record.layer, id, "createPlugin",
        [&] {
            return creator->createPlugin(record.layer.c_str(), fields.collection(),
                                         nvinfer1::TensorRTPhase::kRUNTIME);
        },
        [](nvinfer1::IPluginV3* made) { delete made; });
    return adaptV3(*plugin, Ownership::kOwned, record.layer);
}

} // namespace kiln::plugin
