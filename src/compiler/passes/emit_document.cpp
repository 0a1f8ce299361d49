// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/hash.h"
#include "base/text.h"
#include "compiler/control_steps.h"
#include "compiler/passes/passes.h"
#include "graph/ops/control.h"
#include "runtime/control.h"
#include "runtime/memory_layout.h"
#include "runtime/plan_shapes.h"

namespace kiln::compiler {
namespace {

class Emitter {
public:
    explicit Emitter(Program& program)
        : program_(program), controls_(controlSteps(program)), same_(program, controls_) {}

    plan::Document run() {
        document_.name = program_.name;
        document_.target = program_.backend.name();
        document_.architecture = program_.backend.planArchitecture();
        document_.stronglyTyped = program_.stronglyTyped;
        document_.versionCompatible = program_.options.versionCompatible;
        document_.verbosity = program_.options.verbosity;
        document_.weightStreaming = program_.options.weightStreaming;
        document_.compatibility = program_.options.compatibility;
        for (ValueId const input : program_.inputs) {
            tensor(input);
        }
        for (ValueId const output : program_.outputs) {
            tensor(output);
        }
        for (StepId const id : program_.order()) {
            emit(id);
        }
        emitUnread();
        emitProfiles();
        emitShapes();
        shareTensors();
        checkPasses();
        runtime::placeTensors(document_);
        if (program_.options.refit) {
            emitWeights();
        }
        releaseConstants();
        return std::move(document_);
    }

private:
    plan::TensorId tensor(ValueId value) {
        value = same_.of(value);
        if (auto const found = tensors_.find(value); found != tensors_.end()) {
            return found->second;
        }
        Value const& own = program_.value(value);
        if (own.isAbsent()) {
            return plan::kAbsent;
        }
        plan::TensorRecord record;
        record.name = own.name;
        record.role = own.role;
        record.type = own.type;
        record.inputIndex = own.inputIndex < 0 ? -1 : inputNumber(own.inputIndex);
        if (own.role != plan::TensorRole::kConstant && own.type.tag != 0) {
            record.layout = *target::findLayout(program_.backend.layouts(), own.type.tag);
        }
        record.recipe = own.recipe;
        record.packing = own.packing;
        record.origin = originOf(own);
        record.folded = own.recipe != nullptr && !own.recipe->isSource();
        record.debug = own.debug;
        record.unfused = isUnfused(own);
        record.shapeOutput = own.shapeOutput;
        plan::TensorId const index = document_.tensors.add(std::move(record));
        tensors_.emplace(value, index);
        values_.add(value);
        if (own.sharesWith != ValueId::kNone) {
            tensor(own.sharesWith); // no step may read or write it
        }
        return index;
    }

    /// Whether a value is an output of a layer of the network, in the format that listeners expect.
    bool isUnfused(Value const& value) {
        bool const written =
            value.role == plan::TensorRole::kInternal || value.role == plan::TensorRole::kOutput;
        return written && value.producer() != StepId::kNone && value.type.tag == 0 &&
               value.type.format == TensorFormat::kLINEAR &&
               program_.unfusedNames.erase(value.name) > 0;
    }

    /// Debug tensors that no step reads or writes, for debug listeners.
    void emitUnread() {
        for (std::size_t i = 0; i < program_.values().size(); ++i) {
            auto const id = static_cast<ValueId>(i);
            Value const& value = program_.value(id);
            bool const known = value.role == plan::TensorRole::kConstant ||
                               value.role == plan::TensorRole::kValues;
            if (value.debug && known && !value.isAbsent()) {
                tensor(id);
            }
        }
    }

    /// The weights of the network that a constant is computed from.
    static std::string originOf(Value const& value) {
        constexpr std::size_t kMost = 8; // a chain of constants may have thousands
        std::vector<std::string> names;
        if (value.recipe != nullptr) {
            for (std::string_view const name : target::sourceNames(*value.recipe)) {
                names.emplace_back(name);
            }
        }
        names.resize(std::min(names.size(), kMost));
        return names.empty() ? value.origin : join(names, plan::kOriginSeparator);
    }

    /// What new weights need. All other weights of the network are fixed.
    void emitWeights() {
        plan::addWeights(document_, program_.weightNames);
        std::set<std::string_view> open;
        for (plan::WeightRecord const& weight : document_.weights) {
            open.insert(weight.name);
        }
        for (target::RecipePtr const& source : program_.sources) {
            bool const unmarked = program_.options.refitMarked; // these are no one's concern
            if (!unmarked && !open.contains(source->name())) {
                auto const label = program_.weightNames.labels.find(source->name());
                document_.fixedWeights.push_back(
                    {source->name(),
                     label == program_.weightNames.labels.end() ? std::string() : label->second,
                     source->type().type, source->bytes(), hashBytes(source->known().view)});
            }
        }
        if (program_.options.stripPlan) {
            plan::stripWeights(document_);
        }
    }

    /// Runs last: extents may add size tensors, which must come after inputs and outputs.
    void emitShapes() {
        for (std::size_t at = 0; at < document_.tensors.size(); ++at) {
            plan::TensorId const i(at);
            Value const& own = program_.value(values_[i]);
            graph::ShapeExpr shape;
            shape.rank = own.shape.rank;
            for (int32_t axis = 0; axis < own.shape.rank; ++axis) {
                shape[axis] = expression(own.shape[axis]);
            }
            graph::ShapeValues values;
            for (graph::ExprRef const ref : own.values) {
                values.push_back(expression(ref));
            }
            document_.tensors[i].shape = shape;
            if (graph::ExprRef const begin = memoryOf(values_[i]).begin; begin >= 0) {
                document_.tensors[i].begin = expression(begin);
            }
            document_.tensors[i].values = std::move(values);
        }
        for (plugin::PluginRecord& record : document_.plugins) {
            for (plugin::AotVariant& variant : record.code) {
                for (plugin::AotKernel& kernel : variant.kernels) {
                    plugin::forEachExpression(
                        kernel, [&](graph::ExprRef& ref, auto) { ref = expression(ref); });
                }
            }
        }
    }

    /// Copies an expression and its operands. Operands come first, as the plan requires. Iterative:
    /// a network may nest expressions deeper than the call stack allows.
    int32_t expression(graph::ExprRef root) {
        std::vector<graph::ExprRef> waiting{root};
        while (!waiting.empty()) {
            graph::ExprRef const ref = waiting.back();
            graph::ExprRef const missing = missingOperand(program_.pool.node(ref));
            if (missing >= 0) {
                waiting.push_back(missing);
                continue;
            }
            waiting.pop_back();
            if (exprs_.count(ref) == 0) {
                emitExpression(ref);
            }
        }
        return exprs_.at(root);
    }

    /// The first operand that is not copied yet; -1 if there is none.
    graph::ExprRef missingOperand(graph::ExprNode const& node) const {
        bool const isSize = node.op == graph::ExprOp::kSizeTensor;
        if (!isSize && node.op < graph::ExprOp::kSum) {
            return -1;
        }
        graph::ExprRef const first = isSize ? node.b : node.a;
        graph::ExprRef const second = isSize ? static_cast<graph::ExprRef>(node.value) : node.b;
        return exprs_.count(first) == 0 ? first : exprs_.count(second) == 0 ? second : -1;
    }

    void emitExpression(graph::ExprRef ref) {
        graph::ExprNode node = program_.pool.node(ref);
        if (node.op >= graph::ExprOp::kSum) {
            node.a = exprs_.at(node.a);
            node.b = exprs_.at(node.b);
        } else if (node.op == graph::ExprOp::kInputExtent ||
                   node.op == graph::ExprOp::kShapeValue) {
            node.a = inputNumber(node.a);
        } else if (node.op == graph::ExprOp::kSizeTensor) {
            ValueId const value = program_.sizeTensors.at(static_cast<std::size_t>(node.a));
            node.b = exprs_.at(node.b);
            node.value = exprs_.at(static_cast<graph::ExprRef>(node.value));
            node.a = tensor(value).number();
        }
        exprs_.emplace(ref, static_cast<int32_t>(document_.exprs.size()));
        document_.exprs.push_back(node);
    }

    /// Numbers the inputs without the gaps that removed inputs left.
    int32_t inputNumber(int32_t inputIndex) {
        return inputNumbers_.try_emplace(inputIndex, static_cast<int32_t>(inputNumbers_.size()))
            .first->second;
    }

    void emit(StepId id) {
        Step& step = program_.step(id);
        if (!step.isPlugin() && graph::isControl(*step.op)) {
            emitControl(id);
        } else {
            emitStep(step);
        }
    }

    /// A loop or a branch is one step of the plan, in front of its bodies.
    void emitControl(StepId id) {
        Step& step = program_.step(id);
        if (graph::opensBody(*step.op)) {
            open_.push_back({document_.steps.size(), document_.steps.size() + 1});
            document_.steps.push_back(openControl(id));
            return;
        }
        if (step.as<graph::Require>() != nullptr) {
            document_.steps.push_back(requirement(step));
            return;
        }
        auto& [index, first] = open_.back();
        if (step.as<graph::Test>() != nullptr) {
            plan::Body& tested = document_.steps[index].control->bodies[0];
            tested.condition = tensor(step.inputs()[0]);
            tested.testedAfter = static_cast<int32_t>(document_.steps.size() - first);
            return;
        }
        plan::ControlRecord& control = *document_.steps[index].control;
        plan::Body& body = control.bodies[step.as<graph::EndBranch>() == nullptr ? 0 : 1];
        body.steps = static_cast<int32_t>(document_.steps.size() - first);
        first = document_.steps.size();
        auto const* repeat = step.as<graph::EndRepeat>();
        auto const* branch = step.as<graph::EndBranch>();
        auto const results =
            static_cast<std::size_t>(repeat != nullptr   ? repeat->results()
                                     : branch != nullptr ? branch->results
                                                         : step.as<graph::Otherwise>()->results);
        for (std::size_t i = step.inputs().size() - results; i < step.inputs().size(); ++i) {
            body.outputs.push_back(tensor(step.inputs()[i]));
        }
        if (step.as<graph::Otherwise>() != nullptr) {
            return;
        }
        for (std::size_t i = 0; i < results; ++i) {
            ValueId const output = step.outputs()[i];
            document_.steps[index].outputs.push_back(tensor(output));
            findExtents(id, i, control);
            if (static_cast<int32_t>(document_.steps[index].outputs.size()) <= control.carried) {
                // the body reads the current value
                body.inputs.push_back(document_.steps[index].outputs.back());
            }
        }
        control.reversed = repeat == nullptr ? 0 : repeat->reversed;
        open_.pop_back();
    }

    /// The extents of a result that the run finds.
    void findExtents(StepId id, std::size_t result, plan::ControlRecord& control) {
        graph::ShapeExpr const& shape = program_.value(program_.step(id).outputs()[result]).shape;
        for (int32_t axis = 0; axis < shape.rank; ++axis) {
            graph::ExprNode const& node = program_.pool.node(shape[axis]);
            if (node.op != graph::ExprOp::kSizeTensor) {
                continue;
            }
            ValueId const size = program_.sizeTensors.at(static_cast<std::size_t>(node.a));
            if (program_.value(size).producer() == id) {
                control.extents.push_back({tensor(size), static_cast<int32_t>(result), axis});
            }
        }
    }

    plan::StepRecord requirement(Step& step) {
        plan::StepRecord record = controlRecord(step, plan::ControlKind::kRequire);
        record.control->message = step.as<graph::Require>()->message;
        decide(step, record);
        return record;
    }

    static plan::StepRecord controlRecord(Step& step, plan::ControlKind kind) {
        plan::StepRecord record;
        record.name = step.name;
        record.rewrites = std::move(step.rewrites);
        record.metadata = std::move(step.metadata);
        record.control.emplace();
        record.control->kind = kind;
        return record;
    }

    /// By an expression, or by the elements of input 0.
    void decide(Step const& step, plan::StepRecord& record) {
        record.control->value = step.decider < 0 ? -1 : expression(step.decider);
        if (step.decider < 0) {
            record.control->decider = tensor(step.inputs()[0]);
            record.inputs.push_back(record.control->decider);
        }
    }

    plan::StepRecord openControl(StepId id) {
        Step& step = program_.step(id);
        ControlSteps const& own =
            *std::find_if(controls_.begin(), controls_.end(),
                          [&](ControlSteps const& control) { return control.open == id; });
        auto const* repeat = step.as<graph::Repeat>();
        plan::StepRecord record = controlRecord(
            step, repeat == nullptr ? plan::ControlKind::kBranch : plan::ControlKind::kRepeat);
        plan::ControlRecord& control = *record.control;
        control.bodies.resize(repeat == nullptr ? 2 : 1);
        std::size_t firstShared = 1;
        if (repeat != nullptr) {
            control.carried = repeat->carried;
            control.backward = repeat->backward;
            firstShared = static_cast<std::size_t>(repeat->firstShared());
            for (std::size_t i = 1; i < firstShared; ++i) {
                record.inputs.push_back(tensor(step.inputs()[i]));
                if (i > static_cast<std::size_t>(repeat->carried)) {
                    control.slices.push_back(tensor(step.outputs()[i]));
                    control.bodies[0].inputs.push_back(control.slices.back());
                }
            }
        }
        for (std::size_t i = 0; i < step.inputs().size(); ++i) {
            plan::TensorRole const role = program_.value(same_.of(step.inputs()[i])).role;
            bool const everywhere =
                role == plan::TensorRole::kConstant || role == plan::TensorRole::kValues;
            if (everywhere || (i > 0 && i < firstShared) || (i == 0 && !isRead(program_, own, i))) {
                continue;
            }
            record.inputs.push_back(tensor(step.inputs()[i]));
            for (plan::Body& body : control.bodies) {
                body.inputs.push_back(record.inputs.back());
            }
        }
        decide(step, record);
        return record;
    }

    void emitStep(Step& step) {
        plan::StepRecord record;
        record.name = step.name;
        for (ValueId const input : step.inputs()) {
            record.inputs.push_back(tensor(input));
        }
        for (ValueId const output : step.outputs()) {
            record.outputs.push_back(tensor(output));
        }
        record.workspaceBytes = step.workspaceBytes;
        record.profileWorkspaces = std::move(step.profileWorkspaces);
        record.kernel = std::move(step.kernel);
        for (Step::OtherKernel& other : step.otherKernels) {
            std::vector<plan::TensorId> inputs = record.inputs;
            for (auto const& [operand, value] : other.constants) {
                inputs[operand] = tensor(value);
            }
            record.otherKernels.push_back({std::move(other.record), std::move(inputs)});
        }
        for (std::size_t const number : step.kernelOf) {
            record.profileKernels.push_back(static_cast<int32_t>(number));
        }
        record.reasons = std::move(step.reasons);
        record.candidates = std::move(step.candidates);
        record.rewrites = std::move(step.rewrites);
        record.metadata = std::move(step.metadata);
        if (step.isPlugin()) {
            std::vector<plan::PluginIndex> added;
            for (plugin::PluginRecord& own : step.records) {
                added.push_back(document_.plugins.add(std::move(own)));
            }
            record.plugin = added[step.recordOf.front()];
            for (std::size_t const own : step.recordOf) {
                if (added.size() > 1) {
                    record.profilePlugins.push_back(added[own]);
                }
            }
            record.shapeInputs = step.shapeInputs;
            record.declared = std::move(step.declared);
        }
        document_.steps.push_back(std::move(record));
    }

    void emitProfiles() {
        for (Profile const& profile : program_.options.profiles) {
            plan::ProfileRecord record;
            for (ValueId const input : program_.inputs) {
                Value const& value = program_.value(input);
                auto const range = profile.shapes.find(value.name);
                Dims const known = graph::knownDims(program_.pool, value.shape);
                bool const dynamic = std::any_of(known.d, known.d + known.nbDims,
                                                 [](int64_t extent) { return extent < 0; });
                if (dynamic && range != profile.shapes.end()) {
                    record.ranges.push_back(
                        {tensor(input), range->second.min, range->second.opt, range->second.max});
                }
            }
            for (ValueId const input : program_.shapeInputs) {
                ValueRange const& range = profile.values.at(program_.value(input).name);
                record.values.push_back({tensor(input), range.min, range.opt, range.max});
            }
            document_.profiles.push_back(std::move(record));
        }
    }

    struct Memory {
        ValueId root;
        graph::ExprRef begin;
    };

    /// The value whose memory another one uses, and where it begins there: what a body sees as the
    /// root may be a view of another value outside.
    Memory memoryOf(ValueId value) {
        Memory memory{value, Value::kNoBegin};
        while (program_.value(memory.root).sharesWith != ValueId::kNone) {
            graph::ExprRef const more = program_.value(memory.root).begin;
            if (memory.begin == Value::kNoBegin || more == Value::kNoBegin) {
                memory.begin = memory.begin == Value::kNoBegin ? more : memory.begin;
            } else {
                memory.begin = program_.pool.binary(graph::ExprOp::kSum, memory.begin, more);
            }
            memory.root = same_.of(program_.value(memory.root).sharesWith);
        }
        return memory;
    }

    void shareTensors() {
        for (auto const& [value, index] : tensors_) {
            if (program_.value(value).sharesWith != ValueId::kNone) {
                document_.tensors[index].sharesWith = tensors_.at(memoryOf(value).root);
            }
        }
    }

    void checkPasses() const {
        std::vector<int64_t> const most =
            controls_.empty() ? std::vector<int64_t>() : runtime::largestValues(document_);
        for (plan::StepRecord const& step : document_.steps) {
            if (!step.control.has_value() || step.control->kind != plan::ControlKind::kRepeat ||
                step.control->value < 0) {
                continue;
            }
            int64_t const passes = most[static_cast<std::size_t>(step.control->value)];
            if (passes > runtime::kMostPasses) {
                fail(ErrorKind::kInvalidArgument,
                     "[builder] layer '{}' ({}), number of passes: expected at most {} over all "
                     "profiles, got {}. Lower the largest value in the profiles.",
                     step.name, graph::Repeat::kKind, runtime::kMostPasses, passes);
            }
        }
    }

    /// A control step whose end has not been reached.
    struct Open {
        std::size_t step;
        std::size_t first; ///< of the current body
    };

    /// From here on, constants of the compiler's own belong to the document alone.
    void releaseConstants() {
        program_.converted.clear();
        for (std::size_t i = 0; i < program_.values().size(); ++i) {
            Value& value = program_.value(static_cast<ValueId>(i));
            value.recipe.reset();
            value.packing.reset();
        }
    }

    Program& program_;
    std::vector<ControlSteps> controls_;
    SameTensors same_;
    std::vector<Open> open_;
    plan::Document document_;
    std::unordered_map<ValueId, plan::TensorId> tensors_;
    Table<plan::TensorId, ValueId> values_;
    std::unordered_map<int32_t, int32_t> inputNumbers_; ///< by inputIndex
    std::unordered_map<graph::ExprRef, int32_t> exprs_;
};

} // namespace

plan::Document emitDocument(Program& program) {
    return Emitter(program).run();
}

} // namespace kiln::compiler
