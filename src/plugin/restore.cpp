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

std::unique_ptr<PluginOp> restoreV3(PluginRecord const& record,
                                    nvinfer1::IPluginCreatorInterface& found) {
    nvinfer1::IPluginCreatorV3One* const creator = asV3Creator(&found);
    if (creator == nullptr) {
        failCallback(record.layer, record.id, "createPlugin",
                     "expected a creator of IPluginV3, found one of the IPluginV2 family. Register "
                     "the plugin that the plan was built with");
    }
    FieldView const fields(record.fields);
    nvinfer1::IPluginV3* const plugin = makingCallback(
        record.layer, record.id, "createPlugin",
        [&] {
            return creator->createPlugin(record.layer.c_str(), fields.collection(),
                                         nvinfer1::TensorRTPhase::kRUNTIME);
        },
        [](nvinfer1::IPluginV3* made) { delete made; });
    return adaptV3(*plugin, Ownership::kOwned, record.layer);
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
    return record.style == PluginStyle::kV3 ? restoreV3(record, *found.creator)
                                            : restoreV2(record, *found.creator);
}

} // namespace kiln::plugin
