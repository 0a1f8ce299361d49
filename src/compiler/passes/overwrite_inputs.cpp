// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel that adds an input to its result may write the result over that input: one pass over
// memory less, and one tensor less. The input must be an internal value that nothing reads later.
#include <algorithm>
#include <unordered_map>

#include "compiler/passes/passes.h"
#include "compiler/value_memory.h"
#include "graph/ops/control.h"

namespace kiln::compiler {
namespace {

class InputOverwriter {
public:
    explicit InputOverwriter(Program& program) : program_(program), extents_(extentsOf(program)) {
        if (program.profiles.size() > 1) {
            profiles_ = extentsByProfile(program);
        }
    }

    void run() {
        places_.resize(program_.stepIdCount());
        int32_t next = 0;
        for (StepId const id : program_.order()) {
            places_[id] = next++;
        }
        for (std::size_t i = 0; i < program_.values().size(); ++i) {
            auto const id = static_cast<ValueId>(i);
            groups_[rootOf(id)].push_back(id);
        }
        for (StepId const id : program_.order()) {
            overwrite(id);
        }
    }

private:
    ValueId rootOf(ValueId id) const { return memoryOf(program_, id); }

    void overwrite(StepId id) {
        Step& step = program_.step(id);
        if (step.isPlugin() || graph::isControl(*step.op) || step.outputs().size() != 1 ||
            step.op->sizeCount() > 0) {
            return;
        }
        ValueId const output = step.outputs()[0];
        Value const& to = program_.value(output);
        if (!to.isPrivate() || to.sharesWith != ValueId::kNone) {
            return;
        }
        for (std::size_t i = 0; i < step.inputs().size(); ++i) {
            Value const& from = program_.value(step.inputs()[i]);
            if (from.isAbsent() || from.type != to.type || !(from.shape == to.shape) ||
                !isLastUse(step.inputs()[i], {id, i})) {
                continue;
            }
            if (writesOver(step, i)) {
                share(output, rootOf(step.inputs()[i]));
                return;
            }
        }
    }

    /// Whether all values in the memory of `from` are internal, of its extents, and read no later.
    bool isLastUse(ValueId from, Use last) const {
        std::vector<ValueId> const& members = groups_.at(rootOf(from));
        return std::all_of(members.begin(), members.end(), [&](ValueId member) {
            return program_.value(member).shape == program_.value(from).shape &&
                   compiler::isLastUse(program_, member, last, [&](StepId user) {
                       return places_[user] < places_[last.step];
                   });
        });
    }

    /// Lets all kernels of the step write over the input, in all profiles, or none.
    bool writesOver(Step& step, std::size_t input) const {
        bool const several = !step.otherKernels.empty();
        std::vector<std::optional<Bytes>> codes(1 + step.otherKernels.size());
        std::vector<uint64_t> workspaces; // by profile
        for (std::size_t i = 0; i < (several ? step.kernelOf.size() : 1); ++i) {
            std::size_t const kernel = several ? step.kernelOf[i] : 0;
            auto way = wayOver(step, kernel, several ? profiles_[i] : extents_, input);
            if (!way.has_value() || (codes[kernel].has_value() && codes[kernel] != way->code)) {
                return false;
            }
            codes[kernel] = std::move(way->code);
            workspaces.push_back(way->workspaceBytes);
        }
        step.kernel.code = std::move(*codes[0]);
        for (std::size_t i = 0; i < step.otherKernels.size(); ++i) {
            step.otherKernels[i].record.code = std::move(*codes[i + 1]);
        }
        step.workspaceBytes = *std::max_element(workspaces.begin(), workspaces.end());
        step.profileWorkspaces = several ? std::move(workspaces) : std::vector<uint64_t>();
        return true;
    }

    std::optional<target::Overwriting> wayOver(Step const& step, std::size_t kernel,
                                               Extents const& extents, std::size_t input) const {
        std::vector<ValueId> operands = step.inputs();
        if (kernel > 0) {
            for (auto const& [operand, value] : step.otherKernels[kernel - 1].constants) {
                operands[operand] = value;
            }
        }
        std::vector<target::OperandSpec> inputs;
        std::vector<target::OperandSpec> outputs;
        for (ValueId const value : operands) {
            inputs.push_back(specOf(program_, extents, value));
        }
        for (ValueId const value : step.outputs()) {
            outputs.push_back(outputSpecOf(program_, extents, step, value));
        }
        return program_.backend.overwriting(
            {*step.op, step.name, inputs, outputs},
            kernel == 0 ? step.kernel : step.otherKernels[kernel - 1].record, input);
    }

    /// `value` and all views of it use the memory of `root`.
    void share(ValueId value, ValueId root) {
        for (ValueId const member : groups_.at(value)) {
            program_.value(member).sharesWith = root;
            groups_.at(root).push_back(member);
        }
        groups_.erase(value);
    }

    Program& program_;
    Extents extents_;                                          ///< over all profiles
    std::vector<Extents> profiles_;                            ///< of each, if there are several
    Table<StepId, int32_t> places_;                            ///< in the order of execution
    std::unordered_map<ValueId, std::vector<ValueId>> groups_; ///< by root: it, and who shares
};

} // namespace

void overwriteInputs(Program& program) {
    InputOverwriter(program).run();
}

} // namespace kiln::compiler
