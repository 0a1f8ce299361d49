// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/tensor_layout.h"
#include "compiler/cast_step.h"
#include "compiler/control_importer.h"
#include "compiler/host_inputs.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "compiler/weight_importer.h"
#include "graph/boundary/assertion.h"
#include "graph/boundary/conditional.h"
#include "graph/op_registry.h"
#include "graph/ops/cast.h"
#include "graph/ops/control.h"
#include "graph/ops/identity.h"
#include "graph/ops/kv_cache_update.h"
#include "graph/parts.h"
#include "graph/real_values.h"
#include "plugin/failure.h"
#include "plugin/plugin_layer.h"

namespace kiln::compiler {
namespace {

class Importer {
public:
    Importer(graph::Network& network, Program& program)
        : network_(network), program_(program), weights_(network, program), rewriter_(program) {}

    void run() {
        checkNetwork();
        network_.inferAll();
        program_.name = network_.name;
        program_.stronglyTyped = network_.stronglyTyped();
        for (graph::Tensor* input : network_.inputs()) {
            importInput(*input);
        }
        needed_ = neededNodes(network_);
        for (graph::Node const* node : needed_) {
            for (graph::Tensor const* output : node->outputs) {
                if (program_.options.showUnfused) {
                    program_.unfusedNames.insert(output->name);
                }
            }
        }
        findShapeInputs();
        if (std::any_of(needed_.begin(), needed_.end(),
                        [](graph::Node const* node) { return isBorder(*node); })) {
            ControlImporter(network_, needed_, rewriter_, known_,
                            {[&](graph::Node& node) { importNode(node); },
                             [&](graph::Tensor const& tensor) { return onHost(tensor); },
                             [&](int32_t number, ValueId value) { noteSize(number, value); }})
                .run();
        } else {
            for (graph::Node* node : network_.ordered()) {
                if (needed_.count(node) != 0) {
                    importNode(*node);
                }
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
                 "[builder] network '{}': expected at least one output, got none. Mark the "
                 "tensors that the engine should give as outputs.",
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

    void importInput(graph::Tensor& tensor) {
        Value value;
        value.name = tensor.name;
        value.role = plan::TensorRole::kInput;
        value.type = {network_.facts(tensor).type, formatOf(tensor)};
        value.debug = tensor.isDebug;
        value.shape = tensor.facts.shape;
        value.inputIndex = tensor.inputIndex;
        value.magnitude = magnitudeOf(tensor);
        value.direct = isDirect(tensor);
        known_[&tensor] = program_.addValue(std::move(value));
        program_.inputs.push_back(known_[&tensor]);
    }

    /// Whether BuilderFlag::kDIRECT_IO applies to a tensor: the user chose its formats.
    bool isDirect(graph::Tensor const& tensor) const {
        return program_.options.directIo && tensor.formatsAreSet;
    }

    /// The format of an input or output: linear if the user allows it.
    static TensorFormat formatOf(graph::Tensor const& tensor) {
        for (int32_t i = 0; i < nvinfer1::EnumMax<TensorFormat>(); ++i) {
            auto const format = static_cast<TensorFormat>(i);
            if ((tensor.allowedFormats >> i & 1U) != 0 &&
                fitsFormat(format, tensor.facts.type, tensor.facts.shape.rank)) {
                return format;
            }
        }
        fail(ErrorKind::kUnsupported,
             "[builder] tensor '{}': expected allowed formats of which one fits {} dimensions of "
             "{}, got the mask {:#x}. Allow the linear format.",
             tensor.name, tensor.facts.shape.rank, nameOf(tensor.facts.type),
             tensor.allowedFormats);
    }

    /// Finds the inputs whose values shapes, or shape inputs of plugins, depend on.
    void findShapeInputs() {
        HostInputs wanted(program_.pool);
        for (graph::Node const* node : network_.ordered()) {
            if (needed_.count(node) == 0) {
                continue;
            }
            wanted.add(*node);
        }
        for (graph::Node const* node : needed_) {
            addCount(*node, wanted);
        }
        for (graph::Tensor const* output : network_.outputs()) {
            if (output->isShapeOutput && output->facts.values.has_value()) {
                wanted.add(*output->facts.values);
            }
        }
        hostExprs_.emplace(program_.pool, wanted.numbers());
        for (ValueId const input : program_.inputs) {
            if (wanted.numbers().contains(program_.value(input).inputIndex)) {
                program_.shapeInputs.push_back(input);
            }
        }
    }

    /// Whether the outputs of a layer are computed on the host when shapes change, instead of by a
    /// kernel in every run.
    bool onHost(graph::TensorFacts const& output) {
        return graph::hasHostValues(output) && hostExprs_->contain(*output.values);
    }
    bool onHost(graph::Node const& node) {
        return std::all_of(node.outputs.begin(), node.outputs.end(),
                           [&](graph::Tensor const* output) { return onHost(output->facts); });
    }
    bool onHost(std::span<graph::TensorFacts const> outputs) {
        return std::all_of(outputs.begin(), outputs.end(),
                           [&](graph::TensorFacts const& output) { return onHost(output); });
    }

    /// Whether the host knows the elements of a tensor.
    bool onHost(graph::Tensor const& tensor) { return onHost(tensor.facts); }

    /// The number of passes of a loop is taken from inputs by value if the profiles say which
    /// values these have; else it is data of the device.
    void addCount(graph::Node const& node, HostInputs& wanted) const {
        if (!countsPasses(node) || !node.inputs[0]->facts.values.has_value()) {
            return;
        }
        HostInputs own(program_.pool);
        own.add(*node.inputs[0]->facts.values);
        bool const known =
            std::all_of(program_.inputs.begin(), program_.inputs.end(), [&](ValueId id) {
                Value const& input = program_.value(id);
                auto const& profiles = program_.options.profiles;
                return own.numbers().count(input.inputIndex) == 0 ||
                       wanted.numbers().count(input.inputIndex) != 0 ||
                       (!profiles.empty() && profiles.front().values.count(input.name) != 0);
            });
        if (known) {
            wanted.add(*node.inputs[0]->facts.values);
        }
    }

    void importNode(graph::Node& node) {
        if (node.op->layerType() == nvinfer1::LayerType::kCONSTANT) {
            known_[node.outputs[0]] = weights_.add(node, node.op->weights(0).at(0));
            if (node.outputs[0]->isDebug) {
                program_.value(known_[node.outputs[0]]).debug = true;
                program_.value(known_[node.outputs[0]]).name = node.outputs[0]->name;
            }
            if (program_.options.refit && WeightImporter::mayGiveExtents(node)) {
                program_.weightNames.fixed.insert(program_.sources.back()->name());
            }
            return;
        }
        if (node.op->kind() == graph::ConditionalInput::kKind) {
            return; // only another name: see Nesting::origin()
        }
        if (auto const* assertion = dynamic_cast<graph::Assertion const*>(node.op.get())) {
            importAssertion(node, *assertion);
            return;
        }
        if (!graph::isControl(*node.op) && onHost(node)) {
            for (graph::Tensor* output : node.outputs) {
                Value value = valueOf(*output, output->facts);
                value.role = plan::TensorRole::kValues;
                value.values = *output->facts.values;
                known_[output] = program_.addValue(std::move(value));
            }
            return;
        }
        std::vector<graph::TensorFacts> const inputFacts = node.operandFacts();
        std::vector<ValueId> inputs = importOperands(node, inputFacts.size());
        if (importParts(node, inputFacts, inputs)) {
            return;
        }
        std::vector<ValueId> outputs;
        std::unique_ptr<graph::Op> op = node.op->clone();
        if (node.converts()) {
            auto cast = std::make_unique<graph::Cast>();
            cast->toType = *node.outputType(0);
            op = std::move(cast);
        }
        std::unique_ptr<plugin::PluginOp> plugin;
        int32_t shapeInputs = 0;
        std::vector<graph::TensorFacts> facts(node.outputs.size());
        if (auto const* layer = dynamic_cast<plugin::PluginLayer const*>(op.get())) {
            // The clone infers the shapes, because the build uses the clone.
            graph::InferContext context{program_.pool, node.name, inputFacts, facts};
            layer->infer(context);
            plugin = layer->plugin().clone();
            shapeInputs = layer->shapeInputCount();
        } else {
            op = withoutWeights(*op); // they are operands from here on
            for (std::size_t i = 0; i < facts.size(); ++i) {
                facts[i] = node.outputs[i]->facts;
            }
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            known_[node.outputs[i]] = program_.addValue(valueOf(*node.outputs[i], facts[i]));
            outputs.push_back(known_[node.outputs[i]]);
        }
        for (graph::DeclaredSize const& size : node.sizes) {
            Value value;
            value.name = node.name + " (size)";
            value.type.type = DataType::kINT64;
            outputs.push_back(program_.addValue(std::move(value)));
            noteSize(size.number, outputs.back());
        }
        Step step(std::move(inputs), std::move(outputs));
        step.name = node.name;
        step.metadata = node.metadata;
        if (graph::opensBody(*op)) {
            step.decider = inputFacts[0].values->front();
        }
        step.precision = node.precision;
        step.outputTypes = node.outputTypes;
        step.op = std::move(op);
        step.plugin = std::move(plugin);
        step.shapeInputs = shapeInputs;
        if (step.isPlugin()) {
            notePlugin(static_cast<plugin::PluginLayer const&>(*step.op), step);
        } else if (step.as<graph::KVCacheUpdate>() != nullptr) {
            step.aliases = {graph::KVCacheUpdate::kCache};
        }
        rewriter_.append(std::move(step));
    }

    /// A condition that the host knows needs no kernel.
    void importAssertion(graph::Node const& node, graph::Assertion const& assertion) {
        graph::Tensor const& condition = *Nesting::origin(node.inputs[0]);
        Value unread;
        unread.name = node.name;
        unread.type.type = DataType::kBOOL;
        ValueId const output = program_.addValue(std::move(unread));
        std::vector<ValueId> inputs;
        graph::ExprRef all = -1;
        if (onHost(condition)) {
            all = program_.pool.constant(1);
            for (graph::ExprRef const element : *condition.facts.values) {
                all = program_.pool.binary(graph::ExprOp::kProd, all, element);
            }
            if (program_.pool.constantOr(all) == 0) {
                fail(ErrorKind::kInvalidArgument,
                     "[builder] layer '{}' ({}): expected its condition to be true, got false: {}",
                     node.name, node.op->kind(), assertion.message);
            }
            if (program_.pool.isConstant(all)) {
                return;
            }
        } else {
            inputs.push_back(known_.at(&condition));
        }
        Step step(std::move(inputs), {output});
        step.name = node.name;
        step.metadata = node.metadata;
        step.decider = all;
        auto op = std::make_unique<graph::Require>();
        op->message = assertion.message;
        step.op = std::move(op);
        rewriter_.append(std::move(step));
    }

    /// Puts the parts of a layer in its place, if other operations say it.
    bool importParts(graph::Node const& node, std::span<graph::TensorFacts const> inputFacts,
                     std::vector<ValueId> const& inputs) {
        std::vector<graph::TensorFacts> const operands =
            graph::operandsWithWeights(program_.pool, *node.op, inputFacts);
        std::unique_ptr<graph::Region> const region =
            node.op->parts({program_.pool, node.name, operands, {}});
        if (region == nullptr) {
            return false;
        }
        std::vector<graph::TensorFacts> const facts =
            region->facts(program_.pool, node.name, operands);
        std::vector<ValueId> values = inputs;
        for (std::size_t i = 0; i < region->nodes().size(); ++i) {
            graph::Region::Node const& part = region->nodes()[i];
            importPart(node, part,
                       {facts.data() + region->firstOutput(i),
                        static_cast<std::size_t>(part.op->outputCount())},
                       values);
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            int32_t const result = region->results()[i];
            ValueId& value = values[static_cast<std::size_t>(result)];
            bool const isCopied =
                region->producerOf(result) < 0 && !isPassedOn(node, result, value);
            nameResult(*node.outputs[i], value, isCopied);
            known_[node.outputs[i]] = value;
            if (StepId const last = program_.value(value).producer(); last != StepId::kNone) {
                program_.step(last).outputTypes = {node.outputType(i)};
            }
        }
        return true;
    }

    void importPart(graph::Node const& node, graph::Region::Node const& part,
                    std::span<graph::TensorFacts const> outputFacts, std::vector<ValueId>& values) {
        std::vector<ValueId> outputs;
        bool const isHost = onHost(outputFacts);
        for (graph::TensorFacts const& facts : outputFacts) {
            Value value;
            value.name = fmt::format("{} ({} {})", node.name, part.op->kind(), values.size());
            value.type.type = facts.type;
            value.shape = facts.shape;
            if (isHost) {
                value.role = plan::TensorRole::kValues;
                value.values = *facts.values;
            }
            outputs.push_back(program_.addValue(std::move(value)));
        }
        std::vector<ValueId> inputs;
        for (int32_t const operand : part.inputs) {
            inputs.push_back(operand == graph::Region::kAbsent
                                 ? program_.addAbsent()
                                 : values[static_cast<std::size_t>(operand)]);
        }
        values.insert(values.end(), outputs.begin(), outputs.end());
        if (!isHost) {
            Step step(std::move(inputs), std::move(outputs));
            step.name = node.name;
            step.metadata = node.metadata;
            step.precision = node.precision;
            step.op = part.op->clone();
            rewriter_.append(std::move(step));
        }
    }

    /// Whether nothing but the result of this layer stands for an operand from here on.
    bool isPassedOn(graph::Node const& node, int32_t operand, ValueId value) const {
        auto const number = static_cast<std::size_t>(operand);
        graph::Tensor const* const source =
            number < node.inputs.size() ? node.inputs[number] : nullptr;
        return source != nullptr && source->producer != nullptr && source->users.size() == 1 &&
               !source->isNetworkOutput && !source->isShapeOutput && node.outputs.size() == 1 &&
               program_.value(value).isPrivate();
    }

    /// The result of parts is known by the name of the layer's output. An operand that is a result
    /// itself keeps its own name, so a copy stands for the output.
    void nameResult(graph::Tensor const& tensor, ValueId& value, bool isCopied) {
        if (!isCopied) {
            program_.value(value).name = tensor.name;
            program_.value(value).debug = tensor.isDebug;
            program_.value(value).magnitude = magnitudeOf(tensor);
            return;
        }
        ValueId const copy = program_.addValue(valueOf(tensor, tensor.facts));
        Step step({value}, {copy});
        step.name = tensor.producer->name;
        step.op = std::make_unique<graph::Identity>();
        rewriter_.append(std::move(step));
        value = copy;
    }

    static std::unique_ptr<graph::Op> withoutWeights(graph::Op const& op) {
        ByteWriter writer;
        op.save(writer);
        return graph::OpRegistry::instance().load(op.kind(), writer.take());
    }

    /// Weights take the places of absent operands, then follow the last one.
    std::vector<ValueId> importOperands(graph::Node const& node, std::size_t count) {
        std::vector<ValueId> inputs;
        std::vector<graph::WeightSlot> const slots = node.op->weights(static_cast<int32_t>(count));
        auto slot = slots.begin();
        for (std::size_t i = 0; i < count; ++i) {
            inputs.push_back(node.inputs[i] != nullptr ? known_.at(Nesting::origin(node.inputs[i]))
                             : slot != slots.end()     ? weights_.add(node, *slot++)
                                                       : program_.addAbsent());
        }
        for (; slot != slots.end(); ++slot) {
            inputs.push_back(weights_.add(node, *slot));
        }
        return inputs;
    }

    /// From the range that the user set, else from the calibration; 0: neither.
    float magnitudeOf(graph::Tensor const& tensor) const {
        if (tensor.range.has_value()) {
            return std::max(std::fabs(tensor.range->min), std::fabs(tensor.range->max));
        }
        auto const found = program_.options.magnitudes.find(tensor.name);
        return found == program_.options.magnitudes.end() ? 0.0F : found->second;
    }

    Value valueOf(graph::Tensor const& tensor, graph::TensorFacts const& facts) const {
        Value value;
        value.name = tensor.name;
        value.type.type = facts.type;
        value.shape = facts.shape;
        value.debug = tensor.isDebug;
        value.magnitude = magnitudeOf(tensor);
        return value;
    }

    void noteSize(int32_t number, ValueId value) {
        auto const slot = static_cast<std::size_t>(number);
        program_.sizeTensors.resize(std::max(program_.sizeTensors.size(), slot + 1),
                                    ValueId::kNone);
        program_.sizeTensors[slot] = value;
    }

    /// Records what a plugin declares beyond types and shapes: size tensors and aliases.
    void notePlugin(plugin::PluginLayer const& layer, Step& step) {
        for (plugin::SizeTensor const& size : layer.sizeTensors()) {
            noteSize(size.number, step.outputs()[static_cast<std::size_t>(size.output)]);
        }
        auto const plain = static_cast<int32_t>(step.inputs().size()) - step.shapeInputs;
        std::vector<bool> taken(step.inputs().size(), false);
        for (std::size_t i = 0; i < step.outputs().size(); ++i) {
            int32_t const input = step.plugin->aliasedInput(static_cast<int32_t>(i));
            step.aliases.push_back(input);
            if (input < 0) {
                continue;
            }
            std::string const where = plugin::callbackName(step.name, step.plugin->id(),
                                                           fmt::format("getAliasedInput({})", i));
            if (!program_.options.allowAliases) {
                fail(ErrorKind::kInvalidState,
                     "{}: expected -1, since the preview feature ALIASED_PLUGIN_IO_10_03 is off, "
                     "got {}. Switch that feature on in the builder configuration.",
                     where, input);
            }
            if (input >= plain || taken[static_cast<std::size_t>(input)]) {
                fail(ErrorKind::kPlugin,
                     "{}: expected an input, 0 to {}, that no other output is aliased to, got {}. "
                     "Return -1 for outputs with memory of their own.",
                     where, plain - 1, input);
            }
            taken[static_cast<std::size_t>(input)] = true;
        }
    }

    /// If a step writes the tensor in the wanted type, its value becomes the output. Otherwise
    /// (inputs and constants marked as outputs, another type wanted) a cast copies it to a new
    /// value.
    void importOutput(graph::Tensor& tensor) {
        ValueId const source = known_.at(Nesting::origin(&tensor));
        DataType const type = tensor.chosenType().value_or(program_.value(source).type.type);
        TensorFormat const format = formatOf(tensor);
        if (program_.value(source).role == plan::TensorRole::kInternal &&
            program_.value(source).type.type == type) {
            program_.value(source).role = plan::TensorRole::kOutput;
            program_.value(source).type.format = format;
            program_.value(source).direct = isDirect(tensor);
            program_.outputs.push_back(source);
            return;
        }
        Value value;
        value.name = tensor.producer == nullptr ? tensor.name + "_output" : tensor.name;
        value.role = plan::TensorRole::kOutput;
        value.shapeOutput = tensor.isShapeOutput;
        value.type.type = type;
        value.shape = program_.value(source).shape;
        value.direct = isDirect(tensor);
        ValueId const output = program_.addValue(std::move(value));
        program_.outputs.push_back(output);
        rewriter_.append(makeCast(program_, source, output));
        program_.value(output).type.format = format; // insertCasts adds the reformat
    }

    graph::Network& network_;
    Program& program_;
    WeightImporter weights_;
    Rewriter rewriter_;
    std::unordered_map<graph::Tensor const*, ValueId> known_;
    std::unordered_set<graph::Node const*> needed_;
    std::optional<HostExprs> hostExprs_; ///< what the inputs whose values are needed determine
};

} // namespace

void importNetwork(graph::Network& network, Program& program) {
    Importer(network, program).run();
}

} // namespace kiln::compiler
