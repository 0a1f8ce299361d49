// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "compiler/memory_plan.h"
#include "compiler/passes/passes.h"
#include "runtime/plan_shapes.h"

namespace kiln::compiler {
namespace {

class Emitter {
public:
    explicit Emitter(Program& program) : program_(program) {}

    plan::Document run() {
        document_.name = program_.name;
        document_.target = program_.backend.name();
        document_.architecture = program_.backend.planArchitecture();
        document_.stronglyTyped = program_.stronglyTyped;
        document_.verbosity = program_.options.verbosity;
        for (ValueId const input : program_.inputs) {
            tensor(input);
        }
        for (ValueId const output : program_.outputs) {
            tensor(output);
        }
        for (StepId const id : program_.order()) {
            emitStep(program_.step(id));
        }
        emitProfiles();
        emitShapes();
        shareTensors();
        placeTensors();
        releaseConstants();
        return std::move(document_);
    }

private:
    int32_t tensor(ValueId value) {
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
        record.recipe = own.recipe;
        if (own.recipe == nullptr) {
            record.data = own.data.view;
            record.owner = own.data.own;
        }
        record.origin = own.origin;
        record.debug = own.debug;
        record.shapeOutput = own.shapeOutput;
        auto const index = static_cast<int32_t>(document_.tensors.size());
        document_.tensors.push_back(std::move(record));
        tensors_.emplace(value, index);
        values_.push_back(value);
        if (own.sharesWith != ValueId::kNone) {
            tensor(own.sharesWith); // no step may read or write it
        }
        return index;
    }

    /// Runs last: extents may add size tensors, which must come after inputs and outputs.
    void emitShapes() {
        for (std::size_t i = 0; i < document_.tensors.size(); ++i) {
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
            if (own.begin != Value::kNoBegin) {
                document_.tensors[i].begin = expression(own.begin);
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
            node.a = tensor(value);
        }
        exprs_.emplace(ref, static_cast<int32_t>(document_.exprs.size()));
        document_.exprs.push_back(node);
    }

    /// Numbers the inputs without the gaps that removed inputs left.
    int32_t inputNumber(int32_t inputIndex) {
        return inputNumbers_.try_emplace(inputIndex, static_cast<int32_t>(inputNumbers_.size()))
            .first->second;
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
        record.kernel = std::move(step.kernel);
        record.reasons = std::move(step.reasons);
        record.rewrites = std::move(step.rewrites);
        record.metadata = std::move(step.metadata);
        if (step.isPlugin()) {
            auto const first = static_cast<int32_t>(document_.plugins.size());
            record.plugin = first + step.recordOf.front();
            for (int32_t const own : step.recordOf) {
                if (step.records.size() > 1) {
                    record.profilePlugins.push_back(first + own);
                }
            }
            record.shapeInputs = step.shapeInputs;
            record.declared = std::move(step.declared);
            std::move(step.records.begin(), step.records.end(),
                      std::back_inserter(document_.plugins));
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

    void shareTensors() {
        for (auto const& [value, index] : tensors_) {
            ValueId const root = program_.value(value).sharesWith;
            if (root != ValueId::kNone) {
                document_.tensors[static_cast<std::size_t>(index)].sharesWith = tensors_.at(root);
            }
        }
    }

    /// The tensor whose memory a tensor uses.
    std::size_t ownerOf(int32_t index) const {
        int32_t const shared = document_.tensors[static_cast<std::size_t>(index)].sharesWith;
        return static_cast<std::size_t>(shared < 0 ? index : shared);
    }

    void placeTensors() {
        std::vector<uint64_t> const bytes = runtime::capacities(document_);
        std::vector<Block> blocks(document_.tensors.size());
        auto const last = static_cast<int32_t>(document_.steps.size()) - 1;
        for (int32_t i = 0; i <= last; ++i) {
            plan::StepRecord const& step = document_.steps[static_cast<std::size_t>(i)];
            for (int32_t const output : step.outputs) {
                std::size_t const slot = ownerOf(output);
                if (document_.tensors[slot].role != plan::TensorRole::kInternal) {
                    continue;
                }
                if (blocks[slot].bytes == 0) {
                    blocks[slot] = {bytes[slot], i, i, 0};
                }
                blocks[slot].last = i;
            }
            for (int32_t const input : step.inputs) {
                if (input != plan::kAbsent) {
                    blocks[ownerOf(input)].last = i;
                }
            }
        }
        for (int32_t i = 0; i <= last; ++i) {
            blocks.push_back(
                {document_.steps[static_cast<std::size_t>(i)].workspaceBytes, i, i, 0});
        }
        document_.arenaBytes = planMemory(blocks);
        for (std::size_t i = 0; i < document_.tensors.size(); ++i) {
            document_.tensors[i].offset = blocks[ownerOf(static_cast<int32_t>(i))].offset;
        }
        for (std::size_t i = 0; i < document_.steps.size(); ++i) {
            document_.steps[i].workspaceOffset = blocks[document_.tensors.size() + i].offset;
        }
    }

    /// From here on, constants of the compiler's own belong to the document alone.
    void releaseConstants() {
        program_.converted.clear();
        for (std::size_t i = 0; i < program_.values().size(); ++i) {
            Value& value = program_.value(static_cast<ValueId>(i));
            value.data = {};
            value.recipe.reset();
        }
    }

    Program& program_;
    plan::Document document_;
    std::unordered_map<ValueId, int32_t> tensors_;      ///< by value
    std::vector<ValueId> values_;                       ///< by tensor
    std::unordered_map<int32_t, int32_t> inputNumbers_; ///< by inputIndex
    std::unordered_map<graph::ExprRef, int32_t> exprs_;
};

} // namespace

plan::Document emitDocument(Program& program) {
    return Emitter(program).run();
}

} // namespace kiln::compiler
