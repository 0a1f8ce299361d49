// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Plugins may write an output over an input. The input's memory is reused if the input is an
// internal value that no other operand of the step and no later step reads. Otherwise the input is
// copied first, which a cache's update does by itself. The user's inputs and constants are never
// overwritten. A copy from an input to an output at the same address moves nothing.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/cast_step.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "compiler/value_memory.h"
#include "graph/ops/kv_cache_update.h"

namespace kiln::compiler {
namespace {

class MemorySharer {
public:
    explicit MemorySharer(Program& program) : program_(program), rewriter_(program) {}

    void run() {
        for (StepId const id : program_.order()) {
            Step const& step = program_.step(id);
            for (std::size_t output = 0; output < step.aliases.size(); ++output) {
                if (step.aliases[output] >= 0) {
                    share(id, static_cast<std::size_t>(step.aliases[output]), output);
                }
            }
            reached_.insert(id);
        }
    }

private:
    void check(Step const& step, std::size_t input, std::size_t output) const {
        Value const& from = program_.value(step.inputs()[input]);
        Value const& to = program_.value(step.outputs()[output]);
        if (!step.isPlugin()) {
            return; // an op of Kiln keeps type and shape
        }
        std::string const where =
            fmt::format("[plugin] layer '{}', plugin {}, output {} aliased to input {}", step.name,
                        step.records.front().id.text(), output, input);
        if (from.type != to.type) {
            fail(ErrorKind::kPlugin,
                 "{}: expected the same type and format, got {} {} for the input and {} {} for the "
                 "output. Accept only combinations in which the two agree.",
                 where, nameOf(from.type.type), nameOf(from.type.format), nameOf(to.type.type),
                 nameOf(to.type.format));
        }
        if (!(from.shape == to.shape)) {
            fail(ErrorKind::kPlugin,
                 "{}: expected the same shape, got {} for the input and {} for the output. Give "
                 "the output the expressions of the input.",
                 where, toText(graph::knownDims(program_.pool, from.shape)),
                 toText(graph::knownDims(program_.pool, to.shape)));
        }
    }

    void share(StepId id, std::size_t input, std::size_t output) {
        Step const& step = program_.step(id);
        check(step, input, output);
        ValueId from = step.inputs()[input];
        // No other operand of this step and no later step may read it.
        if (!isLastUse(program_, from, {id, input},
                       [&](StepId user) { return reached_.count(user) != 0; })) {
            if (step.as<graph::KVCacheUpdate>() != nullptr) {
                return; // its kernels copy the cache if the output is elsewhere
            }
            from = copyOperand(rewriter_, id, input, "copy");
        }
        unite(from, step.outputs()[output]);
    }

    /// Values that share memory form a group. A network output becomes its root.
    void unite(ValueId from, ValueId to) {
        ValueId const before = memoryOf(program_, from);
        if (program_.value(to).role != plan::TensorRole::kOutput) {
            program_.value(to).sharesWith = before;
            groups_[before].push_back(to);
            return;
        }
        std::vector<ValueId> group = std::move(groups_[before]);
        group.push_back(before);
        for (ValueId const member : group) {
            program_.value(member).sharesWith = to;
        }
        groups_[to] = std::move(group);
    }

    Program& program_;
    Rewriter rewriter_;
    std::unordered_set<StepId> reached_;                       ///< the steps before the current one
    std::unordered_map<ValueId, std::vector<ValueId>> groups_; ///< by root: who shares with it
};

} // namespace

void shareMemory(Program& program) {
    MemorySharer(program).run();
}

} // namespace kiln::compiler
