// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A reshape moves no bytes: its output becomes a view of its input, which uses the input's memory
// under another shape. Memory that a plugin writes in place is left alone, and a network output
// that would be a view of a network input needs its copy.
#include <unordered_map>
#include <unordered_set>

#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "graph/ops/shuffle.h"

namespace kiln::compiler {
namespace {

class ViewMaker {
public:
    explicit ViewMaker(Program& program) : program_(program), rewriter_(program) {}

    void run() {
        for (StepId const id : program_.order()) {
            Step const& step = program_.step(id);
            for (std::size_t i = 0; i < step.aliases.size(); ++i) {
                if (step.aliases[i] >= 0) {
                    inPlace_.insert(rootOf(step.outputs()[i]));
                    inPlace_.insert(
                        rootOf(step.inputs()[static_cast<std::size_t>(step.aliases[i])]));
                }
            }
        }
        for (StepId const id : program_.order()) {
            if (movesNothing(program_.step(id))) {
                makeView(id);
            }
        }
    }

private:
    static bool movesNothing(Step const& step) {
        auto const* op = step.as<graph::Shuffle>();
        return op != nullptr && op->firstTranspose == graph::Shuffle::kIdentity &&
               op->secondTranspose == graph::Shuffle::kIdentity;
    }

    ValueId rootOf(ValueId id) const {
        ValueId const root = program_.value(id).sharesWith;
        return root == ValueId::kNone ? id : root;
    }

    bool isShared(ValueId id) const { return inPlace_.count(rootOf(id)) != 0; }

    void makeView(StepId id) {
        ValueId const from = program_.step(id).inputs()[0];
        ValueId const to = program_.step(id).outputs()[0];
        Value const& source = program_.value(from);
        Value const& view = program_.value(to);
        plan::TensorRole const rootRole = program_.value(rootOf(from)).role;
        bool const mapped = rootRole == plan::TensorRole::kInternal ||
                            rootRole == plan::TensorRole::kInput ||
                            rootRole == plan::TensorRole::kOutput;
        if (!mapped || source.type != view.type || source.type.format != TensorFormat::kLINEAR ||
            isShared(from) || isShared(to)) {
            return;
        }
        if (view.isPrivate()) {
            share(to, rootOf(from));
        } else if (view.role == plan::TensorRole::kOutput && !view.debug &&
                   rootRole == plan::TensorRole::kInternal) {
            share(rootOf(from), to); // what makes the source writes to the output
        } else {
            return;
        }
        rewriter_.erase(id);
    }

    /// `value` and all views of it use the memory of `root`.
    void share(ValueId value, ValueId root) {
        std::vector<ValueId> members = std::move(views_[value]);
        members.push_back(value);
        for (ValueId const member : members) {
            program_.value(member).sharesWith = root;
            views_[root].push_back(member);
        }
    }

    Program& program_;
    Rewriter rewriter_;
    std::unordered_set<ValueId> inPlace_;                     ///< roots that plugins write in place
    std::unordered_map<ValueId, std::vector<ValueId>> views_; ///< by root
};

} // namespace

void makeViews(Program& program) {
    ViewMaker(program).run();
}

} // namespace kiln::compiler
