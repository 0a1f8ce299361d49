// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>
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
                finish(from, to);
            }
        }
    }

private:
    using Key = std::tuple<int32_t, DataType, TensorFormat>;

    void addCast(int32_t from, int32_t to) {
        program_.steps.push_back(makeCast(program_, from, to));
    }

    int32_t copyOf(int32_t value, target::OperandType type) {
        Value copy;
        copy.name = fmt::format("{} ({}{}{})", program_.value(value).name, nameOf(type.type),
                                type.format == TensorFormat::kLINEAR ? "" : " ",
                                type.format == TensorFormat::kLINEAR ? "" : nameOf(type.format));
        copy.type = type;
        copy.shape = program_.value(value).shape;
        copy.origin = program_.value(value).origin;
        return program_.addValue(std::move(copy));
    }

    /// The value in another type or format; one cast serves all its users.
    int32_t as(int32_t value, target::OperandType type) {
        target::OperandType const own = program_.value(value).type;
        if (own == type) {
            return value;
        }
        if (program_.value(value).role == plan::TensorRole::kInput) {
            checkDirect(value, "input", type);
        }
        Key const key{value, type.type, type.format};
        if (auto const found = casts_.find(key); found != casts_.end()) {
            return found->second;
        }
        int32_t const source = own.type == type.type ? value : linear(value, type);
        int32_t const copy = copyOf(value, type);
        if (program_.value(value).role == plan::TensorRole::kConstant &&
            type.format == TensorFormat::kLINEAR) {
            program_.value(copy).role = plan::TensorRole::kConstant;
            program_.value(copy).data =
                convertElements(program_.value(value).data, own.type, type.type);
        } else {
            addCast(source, copy);
        }
        casts_.emplace(key, copy);
        return copy;
    }

    /// Casts work on linear tensors. Returns the value that needs only one more step to `type`.
    int32_t linear(int32_t value, target::OperandType type) {
        if (type.format != TensorFormat::kLINEAR) {
            return as(value, {type.type, TensorFormat::kLINEAR});
        }
        return as(value, {program_.value(value).type.type, TensorFormat::kLINEAR});
    }

    /// Enforces BuilderFlag::kDIRECT_IO: tensors whose formats the user chose are not converted.
    void checkDirect(int32_t index, char const* role, target::OperandType type) const {
        Value const& value = program_.value(index);
        if (value.direct) {
            fail(ErrorKind::kUnsupported,
                 "[builder] {} '{}': expected {} {} without a reformat, as BuilderFlag DIRECT_IO "
                 "asks, got a layer that works on {} {}. Allow that type and format for the "
                 "tensor, or clear the flag.",
                 role, value.name, nameOf(value.type.type), nameOf(value.type.format),
                 nameOf(type.type), nameOf(type.format));
        }
    }

    /// Handles a step that writes `output` in `type`. An internal value takes that type. A network
    /// output of another type gets an intermediate value, which is cast afterwards.
    void produce(int32_t& output, target::OperandType type,
                 std::vector<std::pair<int32_t, int32_t>>& late) {
        target::OperandType const wanted = program_.value(output).type;
        if (wanted == type) {
            return;
        }
        if (program_.value(output).role == plan::TensorRole::kInternal) {
            program_.value(output).type = type;
            return;
        }
        checkDirect(output, "output", type);
        int32_t const aside = copyOf(output, type);
        casts_.emplace(Key{output, type.type, type.format}, aside); // later users read it directly
        late.emplace_back(aside, output);
        output = aside;
    }

    void finish(int32_t aside, int32_t output) {
        target::OperandType const wanted = program_.value(output).type;
        bool const oneStep = program_.value(aside).type.type == wanted.type;
        addCast(oneStep ? aside : linear(aside, wanted), output);
    }

    Program& program_;
    std::map<Key, int32_t> casts_;
};

} // namespace

void insertCasts(Program& program) {
    CastInserter(program).run();
}

} // namespace kiln::compiler
