// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Identities and casts to the same type inside the network are left out.
#include "compiler/pattern.h"
#include "graph/ops/cast.h"
#include "graph/ops/identity.h"

namespace kiln::compiler {
namespace {

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    Step const& step = program.step(id);
    ValueId const from = step.inputs()[0];
    ValueId const to = step.outputs()[0];
    if (!program.value(to).isPrivate() || program.value(from).type != program.value(to).type ||
        program.value(to).users().empty()) {
        return false;
    }
    rewriter.note(program.value(to).users().front().step, {&id, 1}, "drop_identity");
    rewriter.replaceUses(to, from);
    rewriter.erase(id);
    return true;
}

} // namespace

void registerPattern_drop_identity(PatternRegistry& registry) {
    registry.add({"drop_identity",
                  {std::string(graph::Identity::kKind), std::string(graph::Cast::kKind)},
                  &apply});
}

} // namespace kiln::compiler
