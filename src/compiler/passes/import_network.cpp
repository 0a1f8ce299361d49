// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "compiler/cast_step.h"
#include "compiler/passes/passes.h"
#include "plugin/plugin_layer.h"

namespace kiln::compiler {
namespace {

class Importer {
public:
    Importer(graph::Network& network, Program& program) : network_(network), program_(program) {}

    void run() {
        checkNetwork();
        network_.inferAll();
        program_.name = network_.name;
        program_.stronglyTyped = network_.stronglyTyped();
        for (graph::Tensor* input : network_.inputs()) {
            importInput(*input);
        }
        findNeeded();
        for (graph::Node* node : network_.ordered()) {
            if (needed_.count(node) != 0) {
                importNode(*node);
            }
        }
        for (graph::Tensor* output : network_.outputs()) {
            importOutput(*output);
        }
    }

private:
    void checkNetwork() const {
        if (network_.outputs().empty()) {
            fail(ErrorKind::kInvalidArgument,
                 "[builder] network '{}': expected at least one output, got none. Call mark_output "
                 "on the tensors that the engine should give.",
                 network_.name);
        }
        std::unordered_set<std::string> names;
        auto const checkName = [&](graph::Tensor const* tensor) {
            if (!names.insert(tensor->name).second) {
                fail(ErrorKind::kInvalidArgument,
                     "[builder] two network inputs or outputs are named '{}'. Give each its own "
                     "name.",
                     tensor->name);
            }
        };
        for (graph::Tensor const* input : network_.inputs()) {
            checkName(input);
        }
        for (graph::Tensor const* output : network_.outputs()) {
            if (output->producer != nullptr) {
                checkName(output);
            }
        }
    }

    void findNeeded() {
        std::vector<graph::Tensor*> open(network_.outputs().begin(), network_.outputs().end());
        while (!open.empty()) {
            graph::Tensor* const tensor = open.back();
            open.pop_back();
            if (tensor->producer == nullptr || !needed_.insert(tensor->producer).second) {
                continue;
            }
            for (graph::Tensor* input : tensor->producer->inputs) {
                if (input != nullptr) {
                    open.push_back(input);
                }
            }
        }
    }

    void importInput(graph::Tensor& tensor) {
        Value value;
        value.name = tensor.name;
        value.role = plan::TensorRole::kInput;
        value.type.type = network_.facts(tensor).type;
        value.shape = tensor.facts.shape;
        value.inputIndex = tensor.inputIndex;
        known_[&tensor] = program_.addValue(std::move(value));
        program_.inputs.push_back(known_[&tensor]);
    }

    int32_t addConstant(graph::Node const& node, graph::WeightSlot const& slot) {
        std::string const what = fmt::format("{}/{}", node.name, slot.role);
        int64_t const expected = volume(slot.dims, what);
        if (slot.weights.count != expected || (expected > 0 && slot.weights.values == nullptr)) {
            fail(ErrorKind::kInvalidArgument,
                 "[builder] layer '{}' ({}), {} weights: expected {} values {}, got {}{}. Pass "
                 "weights that match the layer's parameters.",
                 node.name, node.op->kind(), slot.role, expected, toText(slot.dims),
                 slot.weights.count,
                 slot.weights.values == nullptr && slot.weights.count > 0 ? " at a null pointer"
                                                                          : "");
        }
        Value value;
        value.name = what;
        value.origin = what;
        value.role = plan::TensorRole::kConstant;
        value.type.type = slot.weights.type;
        value.shape = graph::constantShape(program_.pool, slot.dims);
        value.data.resize(bytesFor(slot.weights.type, expected));
        if (!value.data.empty()) {
            std::memcpy(value.data.data(), slot.weights.values, value.data.size());
        }
        return program_.addValue(std::move(value));
    }

    void importNode(graph::Node& node) {
        if (node.op->layerType() == nvinfer1::LayerType::kCONSTANT) {
            known_[node.outputs[0]] = addConstant(node, node.op->weights(0).at(0));
            return;
        }
        Step step;
        step.name = node.name;
        std::vector<graph::TensorFacts> inputFacts;
        for (graph::Tensor* input : node.inputs) {
            if (input != nullptr) {
                step.inputs.push_back(known_.at(input));
                inputFacts.push_back(input->facts);
            }
        }
        for (graph::WeightSlot const& slot :
             node.op->weights(static_cast<int32_t>(step.inputs.size()))) {
            step.inputs.push_back(addConstant(node, slot));
        }
        step.op = node.op->clone();
        std::vector<graph::TensorFacts> facts(node.outputs.size());
        if (auto const* layer = dynamic_cast<plugin::PluginLayer const*>(step.op.get())) {
            // The clone is asked for its shapes itself: what is built is what was asked.
            graph::InferContext context{program_.pool, node.name, inputFacts, facts};
            layer->infer(context);
            step.plugin = layer->plugin().clone();
        } else {
            for (std::size_t i = 0; i < facts.size(); ++i) {
                facts[i] = node.outputs[i]->facts;
            }
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            Value value;
            value.name = node.outputs[i]->name;
            value.type.type = facts[i].type;
            value.shape = facts[i].shape;
            known_[node.outputs[i]] = program_.addValue(std::move(value));
            step.outputs.push_back(known_[node.outputs[i]]);
        }
        program_.steps.push_back(std::move(step));
    }

    /// An output gets a value of its own when a step writes it in the wanted type; otherwise
    /// (inputs and constants marked as outputs, another type wanted) a cast copies it there.
    void importOutput(graph::Tensor& tensor) {
        int32_t const source = known_.at(&tensor);
        DataType const type = tensor.wantedType.value_or(program_.value(source).type.type);
        if (program_.value(source).role == plan::TensorRole::kInternal &&
            program_.value(source).type.type == type) {
            program_.value(source).role = plan::TensorRole::kOutput;
            program_.outputs.push_back(source);
            return;
        }
        Value value;
        value.name = tensor.producer == nullptr ? tensor.name + "_output" : tensor.name;
        value.role = plan::TensorRole::kOutput;
        value.type.type = type;
        value.shape = program_.value(source).shape;
        int32_t const output = program_.addValue(std::move(value));
        program_.outputs.push_back(output);
        program_.steps.push_back(makeCast(program_, source, output));
    }

    graph::Network& network_;
    Program& program_;
    std::unordered_map<graph::Tensor const*, int32_t> known_;
    std::unordered_set<graph::Node const*> needed_;
};

} // namespace

void importNetwork(graph::Network& network, Program& program) {
    Importer(network, program).run();
}

} // namespace kiln::compiler
