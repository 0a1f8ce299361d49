// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Merges an identity into a reformat next to it: the reformat then reads the identity's input, or
// writes its output. Other identities stay, because the user may want the copy.
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "graph/ops/identity.h"
#include "graph/ops/reformat.h"

namespace kiln::compiler {
namespace {

/// Whether only one operand of one step sees the value.
bool hasOneUser(Value const& value) {
    return value.isPrivate() && value.users().size() == 1;
}

/// identity -> t -> reformat: the reformat reads what the identity reads.
bool takeSource(Rewriter& rewriter, Step const& identity) {
    Program& program = rewriter.program();
    ValueId const input = identity.inputs()[0];
    Value const& output = program.value(identity.outputs()[0]);
    if (!hasOneUser(output) || program.value(input).type != output.type) {
        return false;
    }
    StepId const next = output.users().front().step;
    if (program.step(next).as<graph::Reformat>() == nullptr) {
        return false;
    }
    rewriter.setInput(next, 0, input);
    program.step(next).name = identity.name;
    return true;
}

/// reformat -> t -> identity: the reformat writes what the identity writes.
bool giveTarget(Rewriter& rewriter, Step const& identity) {
    Program& program = rewriter.program();
    Value const& input = program.value(identity.inputs()[0]);
    ValueId const output = identity.outputs()[0];
    Step const* const before = program.producerOf(identity.inputs()[0]);
    if (!hasOneUser(input) || before == nullptr || before->as<graph::Reformat>() == nullptr ||
        input.type != program.value(output).type) {
        return false;
    }
    program.step(input.producer()).name = identity.name;
    rewriter.setOutput(input.producer(), 0, output);
    return true;
}

} // namespace

void foldIdentities(Program& program) {
    Rewriter rewriter(program);
    for (StepId const id : program.order()) {
        Step const& step = program.step(id);
        if (step.as<graph::Identity>() != nullptr &&
            (takeSource(rewriter, step) || giveTarget(rewriter, step))) {
            rewriter.erase(id);
        }
    }
}

} // namespace kiln::compiler
