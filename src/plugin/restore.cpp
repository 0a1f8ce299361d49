// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/restore.h"

#include "plugin/adapters.h"
#include "plugin/callback.h"
#include "plugin/field_values.h"

namespace kiln::plugin {
namespace {

std::unique_ptr<PluginOp> restoreV2(PluginRecord const& record,
                                    nvinfer1::IPluginCreatorInterface& found) {
    nvinfer1::IPluginCreator* const creator = asV2Creator(&found);
    if (creator == nullptr) {
        failCallback(record.layer, record.id, "deserializePlugin",
                     fmt::format("expected a creator of {}, found one of IPluginV3. Register the "
                                 "plugin that the plan was built with",
                                 nameOf(record.style)));
    }
    nvinfer1::IPluginV2* const plugin = makingCallback(
        record.layer, record.id, "deserializePlugin",
        [&] {
            return creator->deserializePlugin(record.layer.c_str(), record.blob.data(),
                                              record.blob.size());
        },
        [](nvinfer1::IPluginV2* made) { made->destroy(); });
    std::unique_ptr<PluginOp> op = adaptV2(*plugin, Ownership::kOwned, record.layer);
    if (op->style() != record.style) {
        failCallback(record.layer, record.id, "deserializePlugin",
                     fmt::format("expected an {}, returned an {}. Register the plugin that the "
                                 "plan was built with",
                                 nameOf(record.style), nameOf(op->style())));
    }
    return op;
}

/// Throws kPlugin: the creator belongs to another family than the plan needs.
[[noreturn]] void failFamily(PluginRecord const& record) {
    failCallback(record.layer, record.id, "createPlugin",
                 fmt::format("expected a creator of {}, found one of another family. Register the "
                             "plugin that the plan was built with",
                             nameOf(record.style)));
}

std::unique_ptr<PluginOp> restoreV3(PluginRecord const& record,
                                    nvinfer1::IPluginCreatorInterface& found) {
    FieldView const fields(record.fields);
    auto const make = [&]() -> nvinfer1::IPluginV3* {
        constexpr auto kPhase = nvinfer1::TensorRTPhase::kRUNTIME;
        if (record.style == PluginStyle::kV3) {
            return asV3Creator(&found)->createPlugin(record.layer.c_str(), fields.collection(),
                                                     kPhase);
        }
        return asQuickCreator(&found)->createPlugin(
            record.id.name.c_str(), record.id.space.c_str(), fields.collection(), kPhase,
            nvinfer1::QuickPluginCreationRequest::kSTRICT_JIT);
    };
    bool const fits = record.style == PluginStyle::kV3 ? asV3Creator(&found) != nullptr
                                                       : asQuickCreator(&found) != nullptr;
    if (!fits) {
        failFamily(record);
    }
    nvinfer1::IPluginV3* const plugin =
        makingCallback(record.layer, record.id, "createPlugin", make,
                       [](nvinfer1::IPluginV3* made) { delete made; });
    std::unique_ptr<PluginOp> op = adaptV3(*plugin, Ownership::kOwned, record.layer);
    if ((op->style() == PluginStyle::kV3) != (record.style == PluginStyle::kV3)) {
        failFamily(record);
    }
    return op;
}

} // namespace

std::unique_ptr<PluginOp> restorePlugin(PluginRecord const& record, CreatorTable const& creators) {
    CreatorTable::Found const found = creators.find(record.id);
    if (found.creator == nullptr) {
        fail(ErrorKind::kPlugin,
             "[plan] layer '{}' needs plugin {} ({}, {}): {}. Register it before the plan is "
             "loaded, or pass --plugins={} to trtexec.",
             record.layer, record.id.text(), record.needsPython ? "Python" : "C++",
             nameOf(record.style), creators.missText(record.id),
             record.needsPython ? "FILE.py" : "LIBRARY.so");
    }
    return isV3(record.style) ? restoreV3(record, *found.creator)
                              : restoreV2(record, *found.creator);
}

} // namespace kiln::plugin
