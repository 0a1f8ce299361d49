// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A body of a loop or a branch reads constants and host tensors themselves, so that kernels can
// pack them and steps that read constants only can be folded.
#include "compiler/pattern.h"
#include "graph/ops/control.h"

namespace kiln::compiler {
namespace {

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    Step const& step = program.step(id);
    auto const* repeat = step.as<graph::Repeat>();
    auto const* otherwise = step.as<graph::Otherwise>();
    // Only the number of passes and shared values enter a body unchanged.
    auto const changing =
        static_cast<std::size_t>(repeat == nullptr ? 0 : repeat->firstShared() - 1);
    std::size_t const last = otherwise == nullptr ? step.inputs().size()
                                                  : 1 + static_cast<std::size_t>(otherwise->shared);
    bool changed = false;
    for (std::size_t i = 0; i < last; ++i) {
        plan::TensorRole const role = program.value(step.inputs()[i]).role;
        bool const fixed = role == plan::TensorRole::kConstant || role == plan::TensorRole::kValues;
        if (fixed && (i == 0 || i > changing) &&
            !program.value(step.outputs()[i]).users().empty()) {
            rewriter.replaceUses(step.outputs()[i], step.inputs()[i]);
            changed = true;
        }
    }
    return changed;
}

} // namespace

void registerPattern_enter_constants(PatternRegistry& registry) {
    registry.add({"enter_constants",
                  {std::string(graph::Repeat::kKind), std::string(graph::Branch::kKind),
                   std::string(graph::Otherwise::kKind)},
                  &apply});
}

} // namespace kiln::compiler
