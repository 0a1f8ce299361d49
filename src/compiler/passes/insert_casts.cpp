// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "compiler/cast_step.h"
#include "compiler/passes/passes.h"

namespace kiln::compiler {
namespace {

class CastInserter {
public:
    explicit CastInserter(Program& program) : program_(program) {}

    void run() {
        std::vector<Step> steps = std::move(program_.steps);
        program_.steps.clear();
        for (Step& step : steps) {
            for (std::size_t i = 0; i < step.inputs.size(); ++i) {
                step.inputs[i] = as(step.inputs[i], step.kernel.inputs[i]);
            }
            std::vector<std::pair<int32_t, int32_t>> late;
            for (std::size_t i = 0; i < step.outputs.size(); ++i) {
                produce(step.outputs[i], step.kernel.outputs[i], late);
            }
            program_.steps.push_back(std::move(step));
            for (auto const& [from, to] : late) {
                addCast(from, to);
            }
        }
    }

private:
    void addCast(int32_t from, int32_t to) {
        Step cast = makeCast(program_, from, to);
        cast.kernel.inputs = {program_.value(from).type};
        cast.kernel.outputs = {program_.value(to).type};
        program_.steps.push_back(std::move(cast));
    }

    int32_t copyOf(int32_t value, backend::OperandType type) {
        Value copy;
        copy.name = fmt::format("{} ({})", program_.value(value).name, nameOf(type.type));
        copy.type = type;
        copy.shape = program_.value(value).shape;
        copy.origin = program_.value(value).origin;
        return program_.addValue(std::move(copy));
    }

    /// The value in another type; one cast serves all its users.
    int32_t as(int32_t value, backend::OperandType type) {
        if (program_.value(value).type == type) {
            return value;
        }
        auto const key = std::make_pair(value, type.type);
        if (auto const found = casts_.find(key); found != casts_.end()) {
            return found->second;
        }
        int32_t const copy = copyOf(value, type);
        if (program_.value(value).role == plan::TensorRole::kConstant) {
            program_.value(copy).role = plan::TensorRole::kConstant;
            program_.value(copy).data = convertElements(program_.value(value).data,
                                                        program_.value(value).type.type, type.type);
        } else {
            addCast(value, copy);
        }
        casts_.emplace(key, copy);
        return copy;
    }

    /// A step makes `output` in `type`: internal values take that type; a network output of another
    /// type is made aside and cast afterwards.
    void produce(int32_t& output, backend::OperandType type,
                 std::vector<std::pair<int32_t, int32_t>>& late) {
        if (program_.value(output).type == type) {
            return;
        }
        if (program_.value(output).role == plan::TensorRole::kInternal) {
            program_.value(output).type = type;
            return;
        }
        int32_t const aside = copyOf(output, type);
        casts_.emplace(std::make_pair(output, type.type), aside); // later users read it directly
        late.emplace_back(aside, output);
        output = aside;
    }

    Program& program_;
    std::map<std::pair<int32_t, DataType>, int32_t> casts_;
};

} // namespace

void insertCasts(Program& program) {
    CastInserter(program).run();
}

} // namespace kiln::compiler
