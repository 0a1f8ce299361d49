// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/cast_step.h"
#include "compiler/control_scope.h"
#include "graph/boundary/loop.h"
#include "graph/ops/control.h"
#include "graph/shape_values.h"
#include "runtime/control.h"

namespace kiln::compiler {
namespace {

graph::Iterator const& asIterator(graph::Node const& node) {
    return static_cast<graph::Iterator const&>(*node.op);
}
graph::LoopOutput const& asOutput(graph::Node const& node) {
    return static_cast<graph::LoopOutput const&>(*node.op);
}

} // namespace

void ControlImporter::importLoop(FlowBlock const& block) {
    std::vector<graph::Node*> iterators = block.iterators;
    auto const backward =
        std::stable_partition(iterators.begin(), iterators.end(),
                              [](graph::Node const* node) { return !asIterator(*node).reverse; });
    Scope scope(known_, sharedBy({block.bodies[0]}));
    auto op = std::make_unique<graph::Repeat>();
    op->carried = static_cast<int32_t>(block.recurrences.size());
    op->forward = static_cast<int32_t>(backward - iterators.begin());
    op->backward = static_cast<int32_t>(iterators.end() - backward);
    op->shared = static_cast<int32_t>(scope.values().size());
    Decider const limit = limitOf(block);
    std::vector<ValueId> inputs{limit.value};
    std::vector<ValueId> seen{like(limit.value, nameOf(block) + " (passes)")};
    for (graph::Node const* node : block.recurrences) {
        inputs.push_back(valueOf(node->inputs[0]));
        seen.push_back(valueFor(*node->outputs[0]));
    }
    for (graph::Node const* node : iterators) {
        inputs.push_back(
            transposed(valueOf(node->inputs[0]), asIterator(*node).axis, 0, node->name));
        seen.push_back(valueFor(*node->outputs[0]));
    }
    std::vector<ValueId> shared;
    for (ValueId const value : scope.values()) {
        inputs.push_back(value);
        shared.push_back(like(value, program_.value(value).name));
    }
    seen.insert(seen.end(), shared.begin(), shared.end());
    append(std::move(op), block, std::move(inputs), seen, limit.expr);
    scope.see(shared);
    for (graph::Node const* node : block.recurrences) {
        copyForListeners(*node);
    }
    for (graph::Node const* node : iterators) {
        copyForListeners(*node);
    }
    importPlace(block.bodies[0], limit.tests ? &block : nullptr);
    endLoop(block, seen);
}

/// `seen`: the outputs of the operation in front of the body.
void ControlImporter::endLoop(FlowBlock const& block, std::vector<ValueId> const& seen) {
    std::size_t const carried = block.recurrences.size();
    std::vector<graph::Node*> kept;
    for (graph::Node* node : block.outputs) {
        if (!asOutput(*node).isLast()) {
            kept.push_back(node);
        }
    }
    auto const reversed =
        std::stable_partition(kept.begin(), kept.end(), [](graph::Node const* node) {
            return asOutput(*node).output == nvinfer1::LoopOutput::kCONCATENATE;
        });
    auto op = std::make_unique<graph::EndRepeat>();
    op->carried = static_cast<int32_t>(carried);
    op->stacked = static_cast<int32_t>(reversed - kept.begin());
    op->reversed = static_cast<int32_t>(kept.end() - reversed);
    std::vector<ValueId> inputs(seen.begin(),
                                seen.begin() + 1 + static_cast<std::ptrdiff_t>(carried));
    std::vector<ValueId> outputs;
    for (std::size_t i = 0; i < carried; ++i) {
        graph::Node const& node = *block.recurrences[i];
        inputs.push_back(valueOf(node.inputs[1]));
        checkNext(node, seen[1 + i], inputs.back());
        outputs.push_back(like(seen[1 + i], node.name + " (last)"));
        for (graph::Node const* result : block.outputs) {
            if (asOutput(*result).isLast() &&
                Nesting::origin(result->inputs[0]) == node.outputs[0]) {
                program_.value(outputs.back()).name = result->outputs[0]->name;
                program_.value(outputs.back()).debug = result->outputs[0]->isDebug;
                known_[result->outputs[0]] = outputs.back();
            }
        }
    }
    std::vector<ValueId> stacks;
    for (graph::Node const* node : kept) {
        inputs.push_back(valueOf(node->inputs[0]));
        int32_t const axis = asOutput(*node).axis;
        ValueId const stack = valueFor(*node->outputs[0]);
        if (axis != 0) {
            Value& own = program_.value(stack);
            std::rotate(own.shape.extent.begin(), own.shape.extent.begin() + axis,
                        own.shape.extent.begin() + axis + 1);
            own.name += " (stack)";
            own.debug = false;
        }
        stacks.push_back(stack);
        outputs.push_back(stack);
    }
    for (graph::Node const* node : kept) {
        op->sizes += addSizes(*node, outputs);
    }
    append(std::move(op), block, std::move(inputs), outputs);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        graph::Tensor const& result = *kept[i]->outputs[0];
        ValueId const moved = transposed(stacks[i], 0, asOutput(*kept[i]).axis, kept[i]->name);
        program_.value(moved).name = result.name;
        program_.value(moved).debug = result.isDebug;
        known_[&result] = moved;
    }
}

/// The number of passes that a loop without a count makes, if its condition stays true.
graph::ExprRef ControlImporter::mostPasses(FlowBlock const& block) {
    graph::ExprRef most = program_.pool.constant(runtime::kMostPasses);
    for (graph::Node const* node : block.iterators) {
        graph::ShapeExpr const& shape = Nesting::origin(node->inputs[0])->facts.shape;
        most = program_.pool.binary(graph::ExprOp::kMin, most, shape[asIterator(*node).axis]);
    }
    return most;
}

ControlImporter::Decider ControlImporter::limitOf(FlowBlock const& block) {
    Decider limit = block.count == nullptr ? decidedBy(mostPasses(block)) : decidedBy(*block.count);
    if (block.condition == nullptr) {
        return limit;
    }
    if (limit.expr >= 0 && layers_.onHost(*block.condition)) { // it is the same in all passes
        return decidedBy(graph::choose(program_.pool, block.condition->facts.values->front(),
                                       limit.expr, program_.pool.constant(0)));
    }
    limit.tests = true;
    return limit;
}

/// The condition is in memory of the device, where the host reads it.
void ControlImporter::appendTest(FlowBlock const& block) {
    ValueId condition = valueOf(block.condition);
    if (plan::TensorRole const role = program_.value(condition).role;
        role == plan::TensorRole::kConstant || role == plan::TensorRole::kValues) {
        ValueId const copy = like(condition, program_.value(condition).name + " (copy)");
        rewriter_.append(makeCast(program_, condition, copy));
        condition = copy;
    }
    append(std::make_unique<graph::Test>(), block, {condition},
           {like(condition, nameOf(block) + " (test)")});
}

void ControlImporter::checkNext(graph::Node const& recurrence, ValueId current,
                                ValueId next) const {
    Value const& a = program_.value(current);
    Value const& b = program_.value(next);
    bool fits = a.type.type == b.type.type && a.shape.rank == b.shape.rank;
    for (int32_t axis = 0; fits && axis < a.shape.rank; ++axis) {
        fits = a.shape[axis] == b.shape[axis] || !program_.pool.isConstant(a.shape[axis]) ||
               !program_.pool.isConstant(b.shape[axis]);
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "[builder] layer '{}' ({}): expected the initial and the next value to have the same "
             "type and shape, got {} {} and {} {}. Cast or reshape one of them.",
             recurrence.name, recurrence.op->kind(), kiln::nameOf(a.type.type),
             toText(graph::knownDims(program_.pool, a.shape)), kiln::nameOf(b.type.type),
             toText(graph::knownDims(program_.pool, b.shape)));
    }
}

} // namespace kiln::compiler
