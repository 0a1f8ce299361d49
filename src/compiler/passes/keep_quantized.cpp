// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "compiler/passes/passes.h"
#include "compiler/region_step.h"
#include "compiler/rewriter.h"
#include "graph/ops/dequantize.h"

namespace kiln::compiler {
namespace {

class Keeper {
public:
    explicit Keeper(Program& program) : program_(program), rewriter_(program) {}

    void run() {
        std::vector<StepId> const anchors = find();
        if (anchors.empty()) {
            return;
        }
        constexpr std::array<std::string_view, 2> kFirst{"align_scale", "fold_constants"};
        rewrite(program_, kFirst);
        for (StepId const id : anchors) {
            if (isWhole(id)) {
                own(id);
            }
        }
        Extents const extents = extentsOf(program_);
        for (StepId const id : anchors) {
            if (isWhole(id)) {
                decide(id, extents);
            }
        }
    }

private:
    StepId dequantizationOf(ValueId value) const {
        StepId const id = program_.value(value).producer();
        return id != StepId::kNone && program_.step(id).as<graph::Dequantize>() != nullptr &&
                       program_.value(value).isPrivate()
                   ? id
                   : StepId::kNone;
    }

    Members sourcesOf(StepId anchor) const {
        Step const& step = program_.step(anchor);
        return {dequantizationOf(step.inputs()[0]), dequantizationOf(step.inputs()[1])};
    }

    /// Whether nothing of it was folded.
    bool isWhole(StepId anchor) const {
        return !program_.isErased(anchor) && !isIn(sourcesOf(anchor), StepId::kNone);
    }

    void decide(StepId id, Extents const& extents) {
        Members members = sourcesOf(id);
        members.push_back(id);
        Step const region = regionStep(program_, members);
        std::string const refusal = region.outputs().empty()
                                        ? std::string("it gives nothing")
                                        : offerForRegion(program_, extents, region).refusal;
        if (!refusal.empty()) {
            program_.options.log.verbose("[select] quantized '{}': {}", program_.step(id).name,
                                         refusal);
            program_.step(members[1]).kept = false;
        }
    }

    /// Anchors of two dequantized operands. Marks the dequantizations of the second ones as kept,
    /// so that constants behind them are not folded; decide() takes the mark away again.
    std::vector<StepId> find() {
        std::vector<StepId> anchors;
        for (StepId const id : program_.order()) {
            Step const& step = program_.step(id);
            if (step.isPlugin() || step.op->opClass() != graph::OpClass::kAnchor ||
                step.inputs().size() < 2) {
                continue;
            }
            Members const sources = sourcesOf(id);
            if (sources[0] != StepId::kNone && sources[1] != StepId::kNone &&
                sources[0] != sources[1]) {
                program_.step(sources[1]).kept = true;
                anchors.push_back(id);
            }
        }
        return anchors;
    }

    /// Gives an anchor dequantizations of its own, which its region can take.
    void own(StepId anchor) {
        for (std::size_t i = 0; i < 2; ++i) {
            ValueId const shared = program_.step(anchor).inputs()[i];
            if (program_.value(shared).users().size() == 1) {
                continue;
            }
            StepId const from = program_.value(shared).producer();
            Value value;
            value.name = program_.value(shared).name;
            value.type = program_.value(shared).type;
            value.shape = program_.value(shared).shape;
            value.origin = program_.value(shared).origin;
            ValueId const copy = program_.addValue(std::move(value));
            Step step(std::vector<ValueId>(program_.step(from).inputs()), {copy});
            step.name = program_.step(from).name;
            step.op = program_.step(from).op->clone();
            step.kept = i == 1;
            rewriter_.insertBefore(anchor, std::move(step));
            rewriter_.setInput(anchor, i, copy);
        }
    }

    Program& program_;
    Rewriter rewriter_;
};

} // namespace

void keepQuantized(Program& program) {
    Keeper(program).run();
}

void foldKept(Program& program) {
    bool any = false;
    for (StepId const id : program.order()) {
        any = any || program.step(id).kept;
        program.step(id).kept = false;
    }
    if (any) {
        constexpr std::array<std::string_view, 1> kFold{"fold_constants"};
        rewrite(program, kFold);
    }
}

} // namespace kiln::compiler
