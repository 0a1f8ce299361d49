// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The scale and the zero point of a quantization get the rank of its data: one number, or one for
// each index along an axis, is then broadcast like an operand of any pointwise operation, and the
// quantization joins chains.
#include <algorithm>

#include "compiler/pattern.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/quantize.h"
#include "graph/ops/shuffle.h"

namespace kiln::compiler {
namespace {

/// The extents of the aligned scale, and its rank -1 if it stays as it is.
Dims alignedDims(Program const& program, Step const& step, graph::ScaleShape const& shape) {
    graph::ShapeExpr const& data = program.value(step.inputs()[0]).shape;
    Dims const scale = graph::knownDims(program.pool, program.value(step.inputs()[1]).shape);
    Dims aligned{data.rank, {}};
    std::fill_n(aligned.d, data.rank, 1);
    bool const single =
        std::all_of(scale.d, scale.d + scale.nbDims, [](int64_t extent) { return extent == 1; });
    bool const along = scale.nbDims == 1 && shape.axis >= 0 && scale.d[0] > 0;
    if (scale.nbDims == data.rank || shape.blockShape.nbDims != 0 || (!single && !along)) {
        return {-1, {}};
    }
    if (!single) {
        aligned.d[shape.axis] = scale.d[0];
    }
    return aligned;
}

/// A new value: the operand with other extents.
ValueId reshaped(Rewriter& rewriter, StepId place, ValueId operand, Dims const& dims) {
    Program& program = rewriter.program();
    Value value;
    value.name = program.value(operand).name + " (aligned)";
    value.type = program.value(operand).type;
    value.shape = graph::constantShape(program.pool, dims);
    ValueId const result = program.addValue(std::move(value));
    Step step({operand}, {result});
    step.name = program.step(place).name + "/scale";
    auto op = std::make_unique<graph::Shuffle>();
    op->reshape = dims;
    step.op = std::move(op);
    rewriter.insertBefore(place, std::move(step));
    return result;
}

template <typename Op>
bool align(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    auto const& op = static_cast<Op const&>(*program.step(id).op);
    Dims const dims = alignedDims(program, program.step(id), op.scaleShape());
    if (dims.nbDims < 0) {
        return false;
    }
    for (std::size_t i = 1; i < program.step(id).inputs().size(); ++i) {
        ValueId const operand = program.step(id).inputs()[i];
        if (program.value(operand).role == plan::TensorRole::kValues) {
            return false;
        }
    }
    for (std::size_t i = 1; i < program.step(id).inputs().size(); ++i) {
        rewriter.setInput(id, i, reshaped(rewriter, id, program.step(id).inputs()[i], dims));
    }
    auto changed = std::make_unique<Op>(op);
    changed->axis = -1;
    program.step(id).op = std::move(changed);
    return true;
}

bool apply(Rewriter& rewriter, StepId id) {
    return rewriter.program().step(id).op->kind() == graph::Quantize::kKind
               ? align<graph::Quantize>(rewriter, id)
               : align<graph::Dequantize>(rewriter, id);
}

} // namespace

void registerPattern_align_scale(PatternRegistry& registry) {
    registry.add({"align_scale",
                  {std::string(graph::Quantize::kKind), std::string(graph::Dequantize::kKind)},
                  &apply});
}

} // namespace kiln::compiler
