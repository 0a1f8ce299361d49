// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Plugins may write an output over an input. The input's memory is reused if the input is an
// internal value that no other operand of the step and no later step reads. Otherwise the input is
// copied first. The user's inputs and constants are never overwritten. A copy from an input to an
// output at the same address moves nothing.
#include <algorithm>

#include "compiler/cast_step.h"
#include "compiler/passes/passes.h"

namespace kiln::compiler {
namespace {

class MemorySharer {
public:
    explicit MemorySharer(Program& program) : program_(program) {}

    void run() {
        std::vector<Step> steps = std::move(program_.steps);
        program_.steps.clear();
        for (std::size_t i = 0; i < steps.size(); ++i) {
            Step& step = steps[i];
            for (std::size_t output = 0; output < step.aliases.size(); ++output) {
                if (step.aliases[output] >= 0) {
                    share(steps, i, static_cast<std::size_t>(step.aliases[output]), output);
                }
            }
            program_.steps.push_back(std::move(step));
        }
    }

private:
    static std::ptrdiff_t uses(Step const& step, int32_t value) {
        return std::count(step.inputs.begin(), step.inputs.end(), value);
    }

    void check(Step const& step, std::size_t input, std::size_t output) const {
        Value const& from = program_.value(step.inputs[input]);
        Value const& to = program_.value(step.outputs[output]);
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

    void share(std::vector<Step>& steps, std::size_t index, std::size_t input, std::size_t output) {
        Step& step = steps[index];
        check(step, input, output);
        int32_t const from = step.inputs[input];
        bool const free =
            program_.value(from).role == plan::TensorRole::kInternal &&
            !program_.value(from).debug && uses(step, from) == 1 &&
            std::none_of(steps.begin() + static_cast<std::ptrdiff_t>(index) + 1, steps.end(),
                         [&](Step const& later) { return uses(later, from) > 0; });
        if (!free) {
            Value copy = program_.value(from);
            copy.name += " (copy)";
            copy.role = plan::TensorRole::kInternal;
            copy.inputIndex = -1;
            copy.values.clear();
            copy.data.clear();
            copy.debug = false;
            copy.sharesWith = -1;
            step.inputs[input] = program_.addValue(std::move(copy));
            program_.steps.push_back(makeCast(program_, from, step.inputs[input]));
        }
        unite(step.inputs[input], step.outputs[output]);
    }

    int32_t rootOf(int32_t value) const {
        int32_t const shared = program_.value(value).sharesWith;
        return shared < 0 ? value : shared;
    }

    /// Values that share memory form a group. A network output becomes its root.
    void unite(int32_t from, int32_t to) {
        int32_t const before = rootOf(from);
        if (program_.value(to).role != plan::TensorRole::kOutput) {
            program_.value(to).sharesWith = before;
            return;
        }
        for (Value& value : program_.values) {
            if (value.sharesWith == before) {
                value.sharesWith = to;
            }
        }
        program_.value(before).sharesWith = to;
    }

    Program& program_;
};

} // namespace

void shareMemory(Program& program) {
    MemorySharer(program).run();
}

} // namespace kiln::compiler
