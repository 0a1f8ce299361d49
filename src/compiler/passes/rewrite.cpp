// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Applies the patterns until none applies. A work list holds the steps whose neighbourhood changed.
#include <algorithm>
#include <deque>
#include <optional>

#include "compiler/passes/passes.h"
#include "compiler/pattern.h"
#include "compiler/read_weights.h"

namespace kiln::compiler {
namespace {

// Every pattern removes steps or work. A program that is rewritten more often than this has
// patterns that undo each other; what was reached is kept.
constexpr std::size_t kMostRewritesPerStep = 64;

class WorkList {
public:
    explicit WorkList(Program const& program) {
        for (StepId const id : program.order()) {
            add(id);
        }
    }

    void add(StepId id) {
        waits_.resize(std::max(waits_.size(), indexOf(id) + 1));
        if (!waits_[id]) {
            waits_[id] = true;
            steps_.push_back(id);
        }
    }
    bool empty() const noexcept { return steps_.empty(); }
    StepId take() {
        StepId const id = steps_.front();
        steps_.pop_front();
        waits_[id] = false;
        return id;
    }

private:
    std::deque<StepId> steps_;
    Table<StepId, bool> waits_;
};

bool concerns(Pattern const& pattern, Step const& step) {
    return pattern.kinds.empty() || std::find(pattern.kinds.begin(), pattern.kinds.end(),
                                              step.op->kind()) != pattern.kinds.end();
}

} // namespace

void rewrite(Program& program, std::span<std::string_view const> only) {
    Rewriter rewriter(program);
    WorkList work(program);
    std::size_t left = kMostRewritesPerStep * (program.stepIdCount() + 1);
    while (!work.empty() && left > 0) {
        StepId const id = work.take();
        for (Pattern const& pattern : PatternRegistry::instance().all()) {
            Step const& step = program.step(id);
            bool const wanted =
                only.empty() || std::find(only.begin(), only.end(), pattern.name) != only.end();
            if (!wanted || program.isErased(id) || step.isPlugin() || !concerns(pattern, step)) {
                continue;
            }
            std::optional<ReadWeights> read;
            if (program.options.refit) {
                read.emplace();
            }
            if (pattern.apply(rewriter, id)) {
                --left;
                if (read.has_value()) {
                    program.weightNames.fixed.insert(read->names().begin(), read->names().end());
                }
                for (StepId const changed : rewriter.takeChanged()) {
                    work.add(changed);
                }
            }
        }
    }
    rewriter.eraseUnused();
}

} // namespace kiln::compiler
