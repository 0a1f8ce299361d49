// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// normalization * scale and normalization + bias, with constants along the normalized axes, are the
// normalization with another scale or bias, if it has none so far.
#include <algorithm>

#include "compiler/constants.h"
#include "compiler/pattern.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/normalization.h"

namespace kiln::compiler {
namespace {

using graph::Normalization;
using nvinfer1::ElementWiseOperation;

constexpr std::size_t kScale = 1;
constexpr std::size_t kBias = 2;

/// A normalization of last axes, read by one step only.
Step const* normalization(Program const& program, ValueId value) {
    Value const& own = program.value(value);
    Step const* const step = program.producerOf(value);
    auto const* op = step == nullptr ? nullptr : step->as<Normalization>();
    bool const fits =
        op != nullptr && op->groups == 1 && own.isPrivate() && own.users().size() == 1;
    return fits ? step : nullptr;
}

/// Whether a constant has one extent of the input, or 1, along each normalized axis, and 1 along
/// all others.
bool isAlong(Program const& program, Normalization const& op, Value const& x,
             Value const& constant) {
    Dims const wanted = graph::knownDims(program.pool, x.shape);
    Dims const got = graph::knownDims(program.pool, constant.shape);
    bool fits = isFloatConstant(constant) && constant.type == x.type && got.nbDims == wanted.nbDims;
    for (int32_t i = 0; fits && i < got.nbDims; ++i) {
        fits = got.d[i] == 1 || (op.normalizes(i) && got.d[i] == wanted.d[i]);
    }
    return fits;
}

bool hasOnly(Program const& program, ValueId value, float number) {
    if (!isFloatConstant(program.value(value)) ||
        mustStayOpen(program, *program.value(value).recipe)) {
        return false;
    }
    std::vector<float> const elements = floatsOf(program.value(value));
    return std::all_of(elements.begin(), elements.end(), [&](float x) { return x == number; });
}

/// A constant of the shape of another one. Kernels are fastest if scale and bias have one shape.
ValueId filled(Program& program, ValueId like, std::string const& name, float number) {
    Value const& other = program.value(like);
    Dims const dims = graph::knownDims(program.pool, other.shape);
    std::vector<float> const elements(static_cast<std::size_t>(volume(dims, name)), number);
    return program.addValue(floatConstant(program, name, other.type.type, dims, elements));
}

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    Step const& step = program.step(id);
    ElementWiseOperation const operation = step.as<graph::ElementWise>()->operation;
    bool const scales = operation == ElementWiseOperation::kPROD;
    if (!scales && operation != ElementWiseOperation::kSUM) {
        return false;
    }
    for (std::size_t side = 0; side < 2; ++side) {
        Step const* const before = normalization(program, step.inputs()[side]);
        ValueId const factor = step.inputs()[1 - side];
        if (before == nullptr ||
            !isAlong(program, *before->as<Normalization>(), program.value(before->inputs()[0]),
                     program.value(factor)) ||
            !hasOnly(program, before->inputs()[kBias], 0.0F) ||
            (scales && !hasOnly(program, before->inputs()[kScale], 1.0F))) {
            continue;
        }
        std::vector<ValueId> inputs = before->inputs();
        inputs[scales ? kScale : kBias] = factor;
        if (scales) {
            inputs[kBias] = filled(program, factor, step.name + "/bias", 0.0F);
        } else if (hasOnly(program, inputs[kScale], 1.0F)) {
            inputs[kScale] = filled(program, factor, step.name + "/scale", 1.0F);
        }
        StepId const into = program.value(step.inputs()[side]).producer();
        ValueId const output = step.outputs()[0];
        rewriter.setInputs(into, std::move(inputs));
        rewriter.join(into, {&id, 1}, "fold_affine");
        rewriter.erase(id);
        rewriter.setOutput(into, 0, output);
        return true;
    }
    return false;
}

} // namespace

void registerPattern_fold_affine(PatternRegistry& registry) {
    registry.add({"fold_affine", {"ElementWise"}, &apply});
}

} // namespace kiln::compiler
