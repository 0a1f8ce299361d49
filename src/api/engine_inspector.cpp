// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/engine_inspector.h"

#include "api/execution_context.h"
#include "api/format_words.h"
#include "api/plugin_description.h"
#include "api/step_description.h"
#include "base/json.h"
#include "graph/op_registry.h"
#include "graph/ops/region.h"

namespace kiln::api {
namespace {

using nvinfer1::LayerInformationFormat;
using nvinfer1::ProfilingVerbosity;

/// The layer that a kernel is for. Of several that one kernel computes: the product, window or
/// other layer to which pointwise ones were joined, or "PointWise".
std::string layerTypeOf(target::KernelRecord const& kernel) {
    if (kernel.op != graph::Region::kKind) {
        return kernel.op;
    }
    std::unique_ptr<graph::Op> const op =
        graph::OpRegistry::instance().load(kernel.op, kernel.parameters);
    graph::OpClass most = graph::OpClass::kPointwise;
    std::string type = "PointWise";
    for (graph::Region::Node const& node : static_cast<graph::Region const&>(*op).nodes()) {
        graph::OpClass const own = node.op->opClass();
        if (own != graph::OpClass::kPointwise && most != graph::OpClass::kAnchor) {
            most = own;
            type = node.op->kind();
        }
    }
    return type;
}

/// Describes one engine, with the shapes of a context if one is given.
class Describer {
public:
    Describer(plan::Document const& document, runtime::Context const* context)
        : document_(document), context_(context) {}

    Json layer(std::size_t index) const {
        plan::StepRecord const& step = document_.steps[index];
        if (document_.verbosity == ProfilingVerbosity::kNONE) {
            return fmt::format("Layer {}", index);
        }
        if (document_.verbosity == ProfilingVerbosity::kLAYER_NAMES_ONLY) {
            return step.name;
        }
        Json json;
        json["Name"] = step.name;
        json["LayerType"] = !step.plugin.isNone()      ? "Plugin"
                            : step.control.has_value() ? step.control->kindName()
                                                       : layerTypeOf(step.kernel);
        if (step.kernel.op == "Reformat") {
            json["Origin"] = "REFORMAT"; // what tools expect of such layers
        }
        std::size_t const kernel = step.kernelFor(profile());
        json["Inputs"] = operands(step.inputsAt(kernel));
        json["Outputs"] = operands(step.outputs);
        if (!step.plugin.isNone()) {
            plugin::PluginRecord const& plugin = document_.plugins[step.pluginFor(profile())];
            json["PluginName"] = plugin.id.name;
            json["PluginVersion"] = plugin.id.version;
            json["PluginNamespace"] = plugin.id.space;
            json["NeedsPython"] = plugin.needsPython;
            json["TacticValue"] = fmt::format("{:#x}", plugin.tactic);
            if (plugin.style == plugin::PluginStyle::kQuickAot) {
                json["Attributes"] = attributesOf(plugin);
                json["Code"] = codeOf(plugin);
            }
        } else if (step.control.has_value()) {
            json["Bodies"] = bodiesOf(index);
        } else {
            json["TacticName"] =
                fmt::format("{}/{}", document_.target, step.kernelAt(kernel).kernel);
        }
        json["WorkspaceBytes"] = step.workspaceBytes;
        json["Refused"] = step.reasons;
        if (!step.candidates.empty()) {
            json["Candidates"] = candidatesOf(step);
        }
        json["Rewrites"] = step.rewrites;
        json["Metadata"] = step.metadata;
        return json;
    }

    Json engine() const {
        Json json;
        json["Layers"] = Json::array();
        for (std::size_t i = 0; i < document_.steps.size(); ++i) {
            json["Layers"].push_back(layer(i));
        }
        json["Bindings"] = Json::array();
        for (plan::TensorRecord const& tensor : document_.tensors) {
            if (tensor.role == plan::TensorRole::kInput ||
                tensor.role == plan::TensorRole::kOutput) {
                json["Bindings"].push_back(tensor.name);
            }
        }
        return json;
    }

private:
    /// The names of the layers of each body, which follow the control step.
    Json bodiesOf(std::size_t index) const {
        Json bodies = Json::array();
        for (plan::Body const& body : document_.steps[index++].control->bodies) {
            bodies.push_back(Json::array());
            for (int32_t i = 0; i < body.steps; ++i) {
                bodies.back().push_back(document_.steps[index++].name);
            }
        }
        return bodies;
    }

    Json operands(std::vector<plan::TensorId> const& indices) const {
        Json list = Json::array();
        for (plan::TensorId const index : indices) {
            if (index == plan::kAbsent) {
                list.push_back(Json());
                continue;
            }
            plan::TensorRecord const& tensor = document_.tensors[index];
            Json json;
            json["Name"] = tensor.name;
            json["Location"] = tensor.role == plan::TensorRole::kValues ? "Host" : "Device";
            json["Dimensions"] = dimensions(index);
            json["Datatype"] = nameOf(tensor.type.type);
            json["Format"] = tensor.formatName();
            json["Format/Datatype"] =
                tensor.layout ? fmt::format("{} {}", tensor.formatName(), nameOf(tensor.type.type))
                              : formatWords(tensor.type.format, tensor.type.type);
            if (!tensor.sharesWith.isNone()) {
                json["SharesMemoryWith"] = document_.tensors[tensor.sharesWith].name;
            }
            list.push_back(std::move(json));
        }
        return list;
    }

    std::size_t profile() const {
        return context_ == nullptr ? 0 : static_cast<std::size_t>(context_->shapes().profile());
    }

    std::vector<int64_t> dimensions(plan::TensorId index) const {
        plan::TensorRecord const& tensor = document_.tensors[index];
        std::vector<int64_t> extents;
        if (context_ != nullptr) {
            Dims const dims = context_->shapes().of(index);
            return {dims.d, dims.d + dims.nbDims};
        }
        for (int32_t axis = 0; axis < tensor.shape.rank; ++axis) {
            graph::ExprNode const& node =
                document_.exprs[static_cast<std::size_t>(tensor.shape[axis])];
            extents.push_back(node.op == graph::ExprOp::kConstant ? node.value : -1);
        }
        return extents;
    }

    plan::Document const& document_;
    runtime::Context const* context_;
};

/// "Name: pad, LayerType: Plugin, Inputs: [...]", one line per layer.
std::string lineOf(Json const& layer) {
    if (layer.isText()) {
        return layer.text();
    }
    std::string line;
    for (auto const& [key, value] : layer.entries()) {
        line += fmt::format("{}{}: {}", line.empty() ? "" : ", ", key,
                            value.isText() ? value.text() : value.dump());
    }
    return line;
}

void checkFormat(LayerInformationFormat format) {
    if (format != LayerInformationFormat::kJSON && format != LayerInformationFormat::kONELINE) {
        fail(ErrorKind::kInvalidArgument,
             "[inspector] format: expected ONELINE or JSON, got {}. Use a LayerInformationFormat "
             "member.",
             static_cast<int32_t>(format));
    }
}

runtime::Context const* coreOf(nvinfer1::IExecutionContext const* context) {
    return context == nullptr ? nullptr : &static_cast<ExecutionContext const*>(context)->core();
}

} // namespace

bool EngineInspector::setExecutionContext(nvinfer1::IExecutionContext const* context) noexcept {
    return reporter_.guard(false, [&] {
        if (context != nullptr && &coreOf(context)->engine() != engine_.get()) {
            fail(ErrorKind::kInvalidArgument,
                 "[inspector] execution context: expected one of the inspected engine, got "
                 "one of another engine.");
        }
        context_ = context;
        return true;
    });
}

char const* EngineInspector::getLayerInformation(int32_t layerIndex,
                                                 LayerInformationFormat format) const noexcept {
    return reporter_.guard<char const*>("", [&] {
        checkFormat(format);
        auto const count = static_cast<int32_t>(engine_->document().steps.size());
        if (layerIndex < 0 || layerIndex >= count) {
            fail(ErrorKind::kInvalidArgument,
                 "[inspector] layer: expected a number from 0 to {}, got {}.", count - 1,
                 layerIndex);
        }
        Json const json = Describer(engine_->document(), coreOf(context_))
                              .layer(static_cast<std::size_t>(layerIndex));
        text_ = format == LayerInformationFormat::kJSON ? json.dump(2) : lineOf(json);
        return text_.c_str();
    });
}

char const* EngineInspector::getEngineInformation(LayerInformationFormat format) const noexcept {
    return reporter_.guard<char const*>("", [&] {
        checkFormat(format);
        Json const json = Describer(engine_->document(), coreOf(context_)).engine();
        if (format == LayerInformationFormat::kJSON) {
            text_ = json.dump(2);
            return text_.c_str();
        }
        text_ = "Layers:\n";
        for (Json const& layer : json["Layers"].elements()) {
            text_ += lineOf(layer) + "\n";
        }
        text_ += "\nBindings:\n";
        for (Json const& binding : json["Bindings"].elements()) {
            text_ += binding.text() + "\n";
        }
        return text_.c_str();
    });
}

} // namespace kiln::api
