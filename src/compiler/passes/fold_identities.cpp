// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Merges an identity into a reformat next to it: the reformat then reads the identity's input, or
// writes its output. Other identities stay, because the user may want the copy.
#include <algorithm>

#include "compiler/passes/passes.h"
#include "graph/ops/identity.h"
#include "graph/ops/reformat.h"

namespace kiln::compiler {
namespace {

template <typename Op>
bool is(Step const& step) {
    return !step.isPlugin() && dynamic_cast<Op const*>(step.op.get()) != nullptr;
}

class IdentityFolder {
public:
    explicit IdentityFolder(Program& program) : program_(program) {}

    void run() {
        for (std::size_t i = 0; i < program_.steps.size(); ++i) {
            Step& identity = program_.steps[i];
            if (!is<graph::Identity>(identity)) {
                continue;
            }
            if (takeSource(identity) || giveTarget(identity, i)) {
                program_.steps.erase(program_.steps.begin() + static_cast<std::ptrdiff_t>(i));
                --i;
            }
        }
    }

private:
    /// Whether the value is internal, is not observed, and has exactly one use.
    bool passes(int32_t index) const {
        Value const& value = program_.value(index);
        auto const uses = [&](Step const& step) {
            return std::count(step.inputs.begin(), step.inputs.end(), index);
        };
        std::ptrdiff_t all = 0;
        for (Step const& step : program_.steps) {
            all += uses(step);
        }
        return value.role == plan::TensorRole::kInternal && !value.debug && !value.shapeOutput &&
               all == 1;
    }

    /// identity -> t -> reformat: the reformat reads what the identity reads.
    bool takeSource(Step const& identity) {
        int32_t const output = identity.outputs[0];
        auto const next =
            std::find_if(program_.steps.begin(), program_.steps.end(), [&](Step const& step) {
                return is<graph::Reformat>(step) && step.inputs[0] == output;
            });
        if (!passes(output) || next == program_.steps.end() ||
            program_.value(identity.inputs[0]).type != program_.value(output).type) {
            return false;
        }
        next->inputs[0] = identity.inputs[0];
        next->name = identity.name;
        return true;
    }

    /// reformat -> t -> identity: the reformat writes what the identity writes.
    bool giveTarget(Step const& identity, std::size_t position) {
        int32_t const input = identity.inputs[0];
        auto const end = program_.steps.begin() + static_cast<std::ptrdiff_t>(position);
        auto const before = std::find_if(program_.steps.begin(), end, [&](Step const& step) {
            return is<graph::Reformat>(step) && step.outputs[0] == input;
        });
        if (!passes(input) || before == end ||
            program_.value(input).type != program_.value(identity.outputs[0]).type) {
            return false;
        }
        before->outputs[0] = identity.outputs[0];
        before->name = identity.name;
        return true;
    }

    Program& program_;
};

} // namespace

void foldIdentities(Program& program) {
    IdentityFolder(program).run();
}

} // namespace kiln::compiler
