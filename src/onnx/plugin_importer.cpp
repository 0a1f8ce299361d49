// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/plugin_importer.h"

#include "kiln/api/plugin_creator.h"
#include "kiln/api/plugin_creator_v3.h"
#include "kiln/api/plugin_registry.h"
#include "kiln/api/quick/plugin_creator_quick.h"
#include "kiln/plugin_error.h"
#include "onnx/operator_table.h"
#include "onnx/plugin_fields.h"

#include <algorithm>
#include <memory>

namespace kiln::onnx {

using nvinfer1::IPluginCreator;
using nvinfer1::IPluginCreatorV3One;
using nvinfer1::IPluginCreatorV3Quick;
using nvinfer1::ITensor;

namespace {

constexpr char const* kVersion = "plugin_version";
constexpr char const* kNamespace = "plugin_namespace";
// The inputs that a V3 plugin takes as shape inputs.
constexpr char const* kShapeInputs = "tensorrt_plugin_shape_input_indices";

// Whether a decorated plugin is compiled into the plan.
constexpr char const* kAot = "aot";

std::vector<std::string> const kReserved{kVersion, kNamespace, kShapeInputs};
std::vector<std::string> const kReservedQuick{kVersion, kNamespace, kShapeInputs, kAot};

std::vector<ITensor*> inputTensors(NodeContext& context) {
    std::vector<ITensor*> tensors;
    for (size_t i = 0; i < context.nbInputs(); ++i) {
        if (!context.hasInput(i)) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                         text("input ", i, ": a plugin needs all inputs, got an empty name."));
        }
        tensors.push_back(&context.tensor(i));
    }
    return tensors;
}

void setOutputs(NodeContext& context, nvinfer1::ILayer& layer) {
    size_t const wanted = context.node().outputs.size();
    if (wanted > static_cast<size_t>(layer.getNbOutputs())) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("expected ", layer.getNbOutputs(), " outputs as the plugin has, got ",
                          wanted, "."));
    }
    for (size_t i = 0; i < wanted; ++i) {
        context.setOutput(i, Value(*layer.getOutput(static_cast<int32_t>(i))));
    }
}

template <typename Plugin>
void expectPlugin(NodeContext& context, Plugin const& plugin) {
    std::string const reason = kilnTakePluginError();
    if (plugin == nullptr) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("the plugin creator returned no plugin. Check the node's attributes",
                          reason.empty() ? "." : "; the creator says:\n", reason));
    }
}

// The network clones an added plugin, so the creator's object is destroyed here.
struct DestroyV2 {
    void operator()(nvinfer1::IPluginV2* plugin) const { plugin->destroy(); }
};

void importV2(NodeContext& context, IPluginCreator& creator) {
    kilnReportPluginError(nullptr); // drops an error of an earlier call
    PluginFields const fields(context, creator.getFieldNames(), kReserved);
    std::unique_ptr<nvinfer1::IPluginV2, DestroyV2> const plugin(
        creator.createPlugin(context.layerName().c_str(), &fields.collection()));
    expectPlugin(context, plugin);
    auto const inputs = inputTensors(context);
    setOutputs(context, context.named(context.network().addPluginV2(
                            inputs.data(), static_cast<int32_t>(inputs.size()), *plugin)));
}

// Removes the shape inputs from `inputs` and returns them.
std::vector<ITensor*> takeShapeInputs(NodeContext& context, std::vector<ITensor*>& inputs) {
    std::vector<ITensor*> shapeInputs;
    auto const nbInputs = static_cast<int64_t>(inputs.size());
    for (int64_t const index : context.attributes().integers(kShapeInputs, {})) {
        if (index < 0 || index >= nbInputs || inputs[static_cast<size_t>(index)] == nullptr) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                         text("attribute '", kShapeInputs, "': expected 0 .. ", nbInputs - 1,
                              ", each once, got ", index, "."));
        }
        shapeInputs.push_back(inputs[static_cast<size_t>(index)]);
        inputs[static_cast<size_t>(index)] = nullptr;
    }
    inputs.erase(std::remove(inputs.begin(), inputs.end(), nullptr), inputs.end());
    return shapeInputs;
}

// Adds a plugin of either family of IPluginV3.
void addV3(NodeContext& context, std::unique_ptr<nvinfer1::IPluginV3> const& plugin) {
    expectPlugin(context, plugin);
    auto inputs = inputTensors(context);
    auto const shapeInputs = takeShapeInputs(context, inputs);
    setOutputs(context, context.named(context.network().addPluginV3(
                            inputs.data(), static_cast<int32_t>(inputs.size()), shapeInputs.data(),
                            static_cast<int32_t>(shapeInputs.size()), *plugin)));
}

void importV3(NodeContext& context, IPluginCreatorV3One& creator) {
    kilnReportPluginError(nullptr); // drops an error of an earlier call
    PluginFields const fields(context, creator.getFieldNames(), kReserved);
    addV3(context,
          std::unique_ptr<nvinfer1::IPluginV3>(creator.createPlugin(
              context.layerName().c_str(), &fields.collection(), nvinfer1::TensorRTPhase::kBUILD)));
}

// The node's request, else the network's preference.
nvinfer1::QuickPluginCreationRequest requestOf(NodeContext& context) {
    using nvinfer1::NetworkDefinitionCreationFlag;
    using nvinfer1::QuickPluginCreationRequest;
    if (context.attributes().has(kAot)) {
        int64_t const aot = context.attributes().integer(kAot, 0);
        if (aot != 0 && aot != 1) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                         text("attribute '", kAot, "': expected 0 (just in time) or 1 (ahead of ",
                              "time), got ", aot, "."));
        }
        return aot == 1 ? QuickPluginCreationRequest::kSTRICT_AOT
                        : QuickPluginCreationRequest::kSTRICT_JIT;
    }
    if (context.network().getFlag(NetworkDefinitionCreationFlag::kPREFER_AOT_PYTHON_PLUGINS)) {
        return QuickPluginCreationRequest::kPREFER_AOT;
    }
    if (context.network().getFlag(NetworkDefinitionCreationFlag::kPREFER_JIT_PYTHON_PLUGINS)) {
        return QuickPluginCreationRequest::kPREFER_JIT;
    }
    return QuickPluginCreationRequest::kUNKNOWN;
}

void importQuick(NodeContext& context, IPluginCreatorV3Quick& creator) {
    auto const request = requestOf(context);
    kilnReportPluginError(nullptr); // drops an error of an earlier call
    PluginFields const fields(context, creator.getFieldNames(), kReservedQuick);
    addV3(context, std::unique_ptr<nvinfer1::IPluginV3>(creator.createPlugin(
                       creator.getPluginName(), creator.getPluginNamespace(), &fields.collection(),
                       nvinfer1::TensorRTPhase::kBUILD, request)));
}

std::string_view nameOf(nvinfer1::IPluginCreatorInterface& creator) {
    std::string_view const kind = creator.getInterfaceInfo().kind;
    char const* name = nullptr;
    if (kind == "PLUGIN CREATOR_V1") {
        name = static_cast<IPluginCreator&>(creator).getPluginName();
    } else if (kind == "PLUGIN CREATOR_V3ONE") {
        name = static_cast<IPluginCreatorV3One&>(creator).getPluginName();
    } else if (kind == "PLUGIN CREATOR_V3QUICK") {
        name = static_cast<IPluginCreatorV3Quick&>(creator).getPluginName();
    }
    return name != nullptr ? name : "";
}

// Whose operators a domain has; empty for domains of plugins.
std::string_view ownerOf(std::string_view domain) {
    if (domain == "com.microsoft.nchwc") {
        return "ONNX Runtime (its level ORT_ENABLE_ALL writes layouts of one kind of processor; "
               "ORT_ENABLE_EXTENDED does not)";
    }
    if (domain.starts_with("com.microsoft") || domain.starts_with("com.ms.internal")) {
        return "ONNX Runtime";
    }
    if (domain == "ai.onnx.ml") {
        return "the part of ONNX for trees and tables";
    }
    if (domain.starts_with("ai.onnx.")) {
        return "a part of ONNX that is for training or not final";
    }
    return {};
}

} // namespace

PluginKey pluginKeyOf(NodeContext& context) {
    return {context.node().opType, context.attributes().string(kVersion, "1"),
            context.attributes().string(kNamespace, "")};
}

nvinfer1::IPluginCreatorInterface* findCreator(NodeContext& context, PluginKey const& key) {
    return context.network().getBuilder().getPluginRegistry().getCreator(
        key.name.c_str(), key.version.c_str(), key.pluginNamespace.c_str());
}

bool hasCreatorNamed(NodeContext& context, std::string_view name) {
    int32_t count = 0;
    auto* const* creators =
        context.network().getBuilder().getPluginRegistry().getAllCreatorsRecursive(&count);
    return std::any_of(creators, creators + (creators != nullptr ? count : 0),
                       [&](auto* creator) { return nameOf(*creator) == name; });
}

nvinfer1::IPluginCreatorInterface& expectCreator(NodeContext& context) {
    NodeProto const& node = context.node();
    PluginKey const key = pluginKeyOf(context);
    bool const isStandard =
        isStandardDomain(node.domain) && findOperator(node.opType, 0) != nullptr;
    if (isStandard && !hasCreatorNamed(context, key.name)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     text("operator ", node.opType, " of ONNX (operator set ", context.opset(),
                          ") is not supported yet. Export the model without it, or register a ",
                          "plugin creator of that name, version '", key.version,
                          "' and namespace '", key.pluginNamespace, "' before parsing."));
    }
    auto* const creator = findCreator(context, key);
    if (creator != nullptr) {
        return *creator;
    }
    if (std::string_view const owner = ownerOf(node.domain); !owner.empty()) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     text("operator ", node.opType, " of ", node.domain, " belongs to ", owner,
                          " and is not supported. Export the model without it, or register a ",
                          "plugin creator of that name, version '", key.version,
                          "' and namespace '", key.pluginNamespace, "' before parsing."));
    }
    context.fail(ErrorCode::kUNSUPPORTED_NODE,
                 text("no operator of ONNX has that name, and no plugin creator is registered ",
                      "for name '", key.name, "', version '", key.version, "', namespace '",
                      key.pluginNamespace,
                      "'. Register the creator, or load its library, before parsing."));
}

void importPlugin(NodeContext& context) {
    auto* const creator = &expectCreator(context);
    std::string_view const kind = creator->getInterfaceInfo().kind;
    if (kind == "PLUGIN CREATOR_V1") {
        importV2(context, static_cast<IPluginCreator&>(*creator));
    } else if (kind == "PLUGIN CREATOR_V3ONE") {
        importV3(context, static_cast<IPluginCreatorV3One&>(*creator));
    } else if (kind == "PLUGIN CREATOR_V3QUICK") {
        importQuick(context, static_cast<IPluginCreatorV3Quick&>(*creator));
    } else {
        context.fail(ErrorCode::kUNSUPPORTED_NODE,
                     text("expected a creator of kind PLUGIN CREATOR_V1, PLUGIN CREATOR_V3ONE or ",
                          "PLUGIN CREATOR_V3QUICK, got '", kind, "'."));
    }
}

} // namespace kiln::onnx
