// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A pointwise operation behind the phases of a transposed convolution goes in front of their
// interleaving, where the convolution takes it. Operations with one operand, or with a constant
// that has one element or one for each map.
#include "compiler/constants.h"
#include "compiler/pattern.h"
#include "graph/ops/activation.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/interleave.h"
#include "graph/ops/slice.h"
#include "graph/ops/unary.h"

namespace kiln::compiler {
namespace {

using graph::Interleave;

/// The interleaving whose result only this operand reads; null if there is none.
Step const* interleaving(Program const& program, ValueId operand) {
    Value const& value = program.value(operand);
    Step const* const step = program.producerOf(operand);
    bool const alone = step != nullptr && value.isPrivate() && value.users().size() == 1;
    return alone && step->as<Interleave>() != nullptr ? step : nullptr;
}

/// A constant for maps, as one for the maps of all phases. kNone: it is none.
ValueId forPhases(Program& program, ValueId id, Interleave const& op, int32_t rank, int64_t maps) {
    Value const& constant = program.value(id);
    if (!isFloatConstant(constant) || constant.recipe == nullptr || constant.shape.rank != rank) {
        return ValueId::kNone;
    }
    Dims dims = graph::knownDims(program.pool, constant.shape);
    int64_t const elements = volume(dims, constant.name);
    if (elements == 1) {
        return id;
    }
    if (elements != maps || dims.d[1] != maps) {
        return ValueId::kNone;
    }
    int64_t const ofGroup = maps / op.groups;
    graph::Slice copies; // as of the bias; see graph/composed/deconvolution.cpp
    copies.start = Dims{3, {}};
    copies.size = Dims{3, {op.groups, op.phases(), ofGroup}};
    copies.stride = Dims{3, {1, 0, 1}};
    target::RecipePtr const recipe =
        computed(copies, {{constant.recipe, Dims{3, {op.groups, 1, ofGroup}}}},
                 constant.recipe->type(), copies.size);
    if (recipe == nullptr) {
        return ValueId::kNone;
    }
    dims.d[1] = maps * op.phases();
    Value value;
    value.name = constant.name;
    value.origin = constant.name;
    value.role = plan::TensorRole::kConstant;
    value.type = recipe->type();
    value.shape = graph::constantShape(program.pool, dims);
    value.recipe = recipe;
    return program.addValue(std::move(value));
}

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    Step const& step = program.step(id);
    std::size_t side = 0;
    Step const* before = interleaving(program, step.inputs()[0]);
    if (before == nullptr && step.inputs().size() > 1) {
        side = 1;
        before = interleaving(program, step.inputs()[1]);
    }
    if (before == nullptr || step.inputs().size() > 2) {
        return false;
    }
    ValueId const interleaved = step.inputs()[side];
    ValueId const phases = before->inputs()[0];
    ValueId const output = step.outputs()[0];
    graph::ShapeExpr const shape = program.value(phases).shape;
    if (step.inputs().size() == 2) {
        graph::ShapeExpr const& whole = program.value(interleaved).shape;
        ValueId const constant =
            forPhases(program, step.inputs()[1 - side], *before->as<Interleave>(), whole.rank,
                      program.pool.constantOr(whole[1]));
        if (constant == ValueId::kNone) {
            return false;
        }
        rewriter.setInput(id, 1 - side, constant);
    }
    Value hoisted;
    hoisted.name = program.value(output).name + "/phases";
    hoisted.type = program.value(output).type;
    hoisted.shape = shape;
    ValueId const result = program.addValue(std::move(hoisted));
    Step moved({result}, {output});
    moved.name = before->name;
    moved.op = before->op->clone();
    moved.metadata = before->metadata;
    moved.rewrites = before->rewrites;
    StepId const old = program.value(interleaved).producer();
    rewriter.setInput(id, side, phases);
    rewriter.erase(old);
    rewriter.setOutput(id, 0, result);
    rewriter.insertAfter(id, std::move(moved));
    return true;
}

} // namespace

void registerPattern_hoist_over_interleave(PatternRegistry& registry) {
    registry.add({"hoist_over_interleave",
                  {std::string(graph::Activation::kKind), std::string(graph::Unary::kKind),
                   std::string(graph::ElementWise::kKind)},
                  &apply});
}

} // namespace kiln::compiler
