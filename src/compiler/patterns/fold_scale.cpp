// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// convolution * scale + shift, as batch normalization becomes, is the convolution with other
// weights: kernel * scale[map] and bias * scale[map] + shift[map]. Scale and shift are constants
// with one element, or with one for each map. The elements are computed when they are needed, in
// float32 if the types differ.
#include <algorithm>

#include "compiler/constants.h"
#include "compiler/pattern.h"
#include "graph/ops/cast.h"
#include "graph/ops/convolution.h"
#include "graph/ops/elementwise.h"

namespace kiln::compiler {
namespace {

using graph::Convolution;
using graph::ElementWise;
using nvinfer1::ElementWiseOperation;

/// The convolution in front of an elementwise operation with a constant.
struct Match {
    StepId convolution = StepId::kNone;
    ValueId constant = ValueId::kNone; ///< one element, or one for each map
};

/// Whether the operation with a constant on this side is one with the weights.
bool isLinear(ElementWiseOperation operation, std::size_t side) {
    switch (operation) {
    case ElementWiseOperation::kPROD:
    case ElementWiseOperation::kSUM: return true;
    case ElementWiseOperation::kDIV:
    case ElementWiseOperation::kSUB: return side == 1;
    default: return false;
    }
}

bool scales(ElementWiseOperation operation) {
    return operation == ElementWiseOperation::kPROD || operation == ElementWiseOperation::kDIV;
}

/// Whether a constant has one element, or one for each map.
bool isPerMap(Program const& program, Value const& constant, int32_t rank, int64_t maps) {
    Dims const dims = graph::knownDims(program.pool, constant.shape);
    int64_t const elements = volume(dims, constant.name);
    return elements == 1 || (dims.nbDims == rank && dims.d[1] == maps && elements == maps);
}

std::optional<Match> match(Program const& program, Step const& step) {
    for (std::size_t side = 0; side < 2; ++side) {
        ValueId const constant = step.inputs()[1 - side];
        Value const& scaled = program.value(step.inputs()[side]);
        Step const* const before = program.producerOf(step.inputs()[side]);
        Convolution const* const op = before == nullptr ? nullptr : before->as<Convolution>();
        if (op != nullptr && scaled.isPrivate() && scaled.users().size() == 1 &&
            isFloatConstant(program.value(constant)) &&
            isLinear(step.as<ElementWise>()->operation, 1 - side) &&
            isPerMap(program, program.value(constant), scaled.shape.rank, op->maps) &&
            program.value(step.outputs()[0]).shape.rank == scaled.shape.rank) {
            return Match{scaled.producer(), constant};
        }
    }
    return std::nullopt;
}

/// Weights, with the maps along axis 0.
struct Weights {
    target::RecipePtr recipe;
    Dims dims{};
};

Weights cast(Weights const& weights, DataType type) {
    if (weights.recipe == nullptr || weights.recipe->type().type == type) {
        return weights;
    }
    graph::Cast op;
    op.toType = type;
    return {computed(op, {{weights.recipe, weights.dims}}, {type}, weights.dims), weights.dims};
}

/// The operation on weights and a constant with one element, or one for each map.
Weights combined(ElementWise const& op, Weights const& weights, Weights constant) {
    int64_t const maps = volume(constant.dims, "constant");
    constant.dims.nbDims = weights.dims.nbDims;
    std::fill_n(constant.dims.d, constant.dims.nbDims, 1);
    constant.dims.d[0] = maps;
    DataType const type = weights.recipe->type().type;
    DataType const wide =
        constant.recipe->type().type == type ? type : DataType::kFLOAT; // rounded once, at the end
    Weights const left = cast(weights, wide);
    Weights const right = cast(constant, wide);
    if (left.recipe == nullptr || right.recipe == nullptr) {
        return {};
    }
    return cast(
        {computed(op, {{left.recipe, left.dims}, {right.recipe, right.dims}}, {wide}, weights.dims),
         weights.dims},
        type);
}

Weights weightsOf(Program const& program, ValueId value) {
    return {program.value(value).recipe,
            graph::knownDims(program.pool, program.value(value).shape)};
}

/// The bias of a convolution, or zeros.
Weights biasOf(Program& program, Step const& step, Convolution::Places const& places, int64_t maps,
               DataType type) {
    if (places.bias != 0) {
        return weightsOf(program, step.inputs()[places.bias]);
    }
    std::vector<float> const zeros(static_cast<std::size_t>(maps), 0.0F);
    return {floatConstant(program, "", type, makeDims({maps}), zeros).recipe, makeDims({maps})};
}

ValueId addWeights(Program& program, std::string const& name, Weights const& weights) {
    Value value;
    value.name = name;
    value.origin = name;
    value.role = plan::TensorRole::kConstant;
    value.type = weights.recipe->type();
    value.shape = graph::constantShape(program.pool, weights.dims);
    value.recipe = weights.recipe;
    return program.addValue(std::move(value));
}

bool isUsable(Weights const& weights) {
    // With infinite weights, two steps may still give finite results.
    return weights.recipe != nullptr && areFinite(*weights.recipe);
}

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    std::optional<Match> const found = match(program, program.step(id));
    if (!found.has_value()) {
        return false;
    }
    Step const& step = program.step(found->convolution);
    Convolution const& op = *step.as<Convolution>();
    Convolution::Places const places = op.places(step.inputs().size());
    ValueId const kernel = step.inputs()[places.kernel];
    if (!isFloatConstant(program.value(kernel)) ||
        (places.bias != 0 && !isFloatConstant(program.value(step.inputs()[places.bias])))) {
        return false;
    }
    ElementWise const& outer = *program.step(id).as<ElementWise>();
    Weights const constant = weightsOf(program, found->constant);
    Weights const oldKernel = weightsOf(program, kernel);
    Weights const newKernel =
        scales(outer.operation) ? combined(outer, oldKernel, constant) : oldKernel;
    Weights const newBias = combined(
        outer, biasOf(program, step, places, op.maps, oldKernel.recipe->type().type), constant);
    if (!isUsable(newBias) || (scales(outer.operation) && !isUsable(newKernel))) {
        return false;
    }
    Convolution::Places const to = op.places(3);
    std::vector<ValueId> inputs(3, step.inputs()[0]);
    inputs[to.kernel] = scales(outer.operation)
                            ? addWeights(program, program.value(kernel).name, newKernel)
                            : kernel;
    inputs[to.bias] = addWeights(program,
                                 places.bias == 0 ? step.name + "/bias"
                                                  : program.value(step.inputs()[places.bias]).name,
                                 newBias);
    rewriter.setInputs(found->convolution, std::move(inputs));
    StepId const folded[] = {id};
    rewriter.join(found->convolution, folded, "fold_scale");
    ValueId const output = program.step(id).outputs()[0];
    rewriter.erase(id);
    rewriter.setOutput(found->convolution, 0, output);
    return true;
}

} // namespace

void registerPattern_fold_scale(PatternRegistry& registry) {
    registry.add({"fold_scale", {"ElementWise"}, &apply});
}

} // namespace kiln::compiler
