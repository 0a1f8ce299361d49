// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// convolution * scale + shift, as batch normalization becomes, is the convolution with other
// weights: kernel * scale[map] and bias * scale[map] + shift[map]. Scale and shift are constants
// with one element, or with one for each map. Computed in float32, rounded once.
#include <algorithm>
#include <cmath>

#include "base/tensor_layout.h"
#include "compiler/constants.h"
#include "compiler/pattern.h"
#include "graph/ops/convolution.h"
#include "graph/ops/elementwise.h"

namespace kiln::compiler {
namespace {

using graph::Convolution;
using graph::ElementWise;
using nvinfer1::ElementWiseOperation;

/// The convolution behind an elementwise operation with a constant.
struct Match {
    StepId convolution = StepId::kNone;
    std::vector<float> factors; ///< by map, or empty: 1
    std::vector<float> shifts;  ///< by map, or empty: 0
};

/// One element for each map, or nothing if the constant has another shape.
std::vector<float> perMap(Program const& program, Value const& constant, int32_t rank,
                          int64_t maps) {
    Dims const dims = graph::knownDims(program.pool, constant.shape);
    std::vector<float> elements = floatsOf(constant);
    if (elements.size() == 1) {
        return std::vector<float>(static_cast<std::size_t>(maps), elements.front());
    }
    bool const alongMaps = dims.nbDims == rank && dims.d[1] == maps &&
                           elements.size() == static_cast<std::size_t>(maps);
    return alongMaps ? elements : std::vector<float>();
}

std::optional<Match> match(Program const& program, Step const& step) {
    ElementWiseOperation const operation = step.as<ElementWise>()->operation;
    for (std::size_t side = 0; side < 2; ++side) {
        Value const& scaled = program.value(step.inputs()[side]);
        Value const& constant = program.value(step.inputs()[1 - side]);
        Step const* const before = program.producerOf(step.inputs()[side]);
        Convolution const* const op = before == nullptr ? nullptr : before->as<Convolution>();
        bool const divides = operation == ElementWiseOperation::kDIV;
        bool const subtracts = operation == ElementWiseOperation::kSUB;
        if (op == nullptr || !scaled.isPrivate() || scaled.users().size() != 1 ||
            !isFloatConstant(constant) || ((divides || subtracts) && side != 0)) {
            continue;
        }
        std::vector<float> elements = perMap(program, constant, scaled.shape.rank, op->maps);
        if (elements.empty() || program.value(step.outputs()[0]).shape.rank != scaled.shape.rank) {
            continue;
        }
        Match found{scaled.producer(), {}, {}};
        if (operation == ElementWiseOperation::kPROD || divides) {
            std::transform(elements.begin(), elements.end(), elements.begin(),
                           [&](float x) { return divides ? 1.0F / x : x; });
            found.factors = std::move(elements);
        } else if (operation == ElementWiseOperation::kSUM || subtracts) {
            std::transform(elements.begin(), elements.end(), elements.begin(),
                           [&](float x) { return subtracts ? -x : x; });
            found.shifts = std::move(elements);
        } else {
            continue;
        }
        return found;
    }
    return std::nullopt;
}

/// kernel[map, ...] * factors[map].
std::vector<float> scaledKernel(std::vector<float> kernel, std::vector<float> const& factors) {
    std::size_t const perMap = factors.empty() ? 0 : kernel.size() / factors.size();
    for (std::size_t i = 0; perMap != 0 && i < kernel.size(); ++i) {
        kernel[i] *= factors[i / perMap];
    }
    return kernel;
}

std::vector<float> scaledBias(std::vector<float> bias, Match const& found, std::size_t maps) {
    bias.resize(maps);
    for (std::size_t i = 0; i < maps; ++i) {
        bias[i] = bias[i] * (found.factors.empty() ? 1.0F : found.factors[i]) +
                  (found.shifts.empty() ? 0.0F : found.shifts[i]);
    }
    return bias;
}

bool areFinite(std::vector<float> const& values) {
    return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
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
    Value const& kernel = program.value(step.inputs()[places.kernel]);
    Value const* const bias =
        places.bias == 0 ? nullptr : &program.value(step.inputs()[places.bias]);
    if (!isFloatConstant(kernel) || (bias != nullptr && !isFloatConstant(*bias))) {
        return false;
    }
    auto const maps = static_cast<std::size_t>(op.maps);
    std::vector<float> const newKernel = found->factors.empty()
                                             ? std::vector<float>()
                                             : scaledKernel(floatsOf(kernel), found->factors);
    std::vector<float> const newBias =
        scaledBias(bias == nullptr ? std::vector<float>() : floatsOf(*bias), *found, maps);
    if (!areFinite(newKernel) || !areFinite(newBias)) {
        return false; // the weights are as they are; two steps may still give finite results
    }
    DataType const type = kernel.type.type;
    Convolution::Places const to = op.places(3);
    std::vector<ValueId> inputs(3, step.inputs()[0]);
    inputs[to.kernel] = found->factors.empty()
                            ? step.inputs()[places.kernel]
                            : program.addValue(floatConstant(
                                  program, kernel.name, type,
                                  graph::knownDims(program.pool, kernel.shape), newKernel));
    inputs[to.bias] =
        program.addValue(floatConstant(program, bias == nullptr ? step.name + "/bias" : bias->name,
                                       type, makeDims({op.maps}), newBias));
    ValueId const before = step.inputs()[places.kernel];
    rewriter.setInputs(found->convolution, std::move(inputs));
    if (program.value(before).users().empty()) {
        program.value(before).data = {}; // a whole model of these would fill the memory
    }
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
