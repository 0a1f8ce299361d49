// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A matrix product reads an operand whose last two axes were swapped directly, with the other
// MatrixOperation: kernels take either order.
#include "compiler/pattern.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/shuffle.h"

namespace kiln::compiler {
namespace {

using graph::MatrixMultiply;
using graph::Shuffle;
using nvinfer1::MatrixOperation;

/// Whether the step does nothing but swap the last two axes.
bool swapsLastAxes(Program const& program, Step const& step) {
    Shuffle const* const op = step.as<Shuffle>();
    if (op == nullptr || step.inputs().size() != 1 || op->reshape.nbDims >= 0) {
        return false;
    }
    int32_t const rank = program.value(step.inputs()[0]).shape.rank;
    for (int32_t i = 0; i < rank; ++i) {
        auto const first = op->secondTranspose[static_cast<std::size_t>(i)];
        int32_t const source = op->firstTranspose[static_cast<std::size_t>(first)];
        int32_t const wanted = i == rank - 1 ? rank - 2 : i == rank - 2 ? rank - 1 : i;
        if (source != wanted) {
            return false;
        }
    }
    return rank >= 2;
}

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    Step& step = program.step(id);
    for (std::size_t i = 0; i < 2; ++i) {
        Step const* const before = program.producerOf(step.inputs()[i]);
        auto const& op = static_cast<MatrixMultiply const&>(*step.op);
        if (before == nullptr || before->isPlugin() || !swapsLastAxes(program, *before) ||
            op.operation[i] == MatrixOperation::kVECTOR ||
            program.value(before->inputs()[0]).role == plan::TensorRole::kValues) {
            continue;
        }
        auto changed = std::make_unique<MatrixMultiply>(op);
        changed->operation[i] = op.operation[i] == MatrixOperation::kNONE
                                    ? MatrixOperation::kTRANSPOSE
                                    : MatrixOperation::kNONE;
        step.op = std::move(changed);
        bool const lastUse = program.value(step.inputs()[i]).users().size() == 1;
        StepId const transposed = program.value(step.inputs()[i]).producer();
        if (lastUse) {
            rewriter.join(id, {&transposed, 1}, "fold_transpose");
        }
        rewriter.setInput(id, i, before->inputs()[0]);
        return true;
    }
    return false;
}

} // namespace

void registerPattern_fold_transpose(PatternRegistry& registry) {
    registry.add({"fold_transpose", {std::string(MatrixMultiply::kKind)}, &apply});
}

} // namespace kiln::compiler
