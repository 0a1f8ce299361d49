// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>

#include "compiler/cast_step.h"
#include "compiler/constants.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "graph/ops/control.h"

namespace kiln::compiler {
namespace {

class CastInserter {
public:
    explicit CastInserter(Program& program) : program_(program), rewriter_(program) {}

    void run() {
        for (StepId const id : program_.order()) {
            Step const& step = program_.step(id);
            place_ = id;
            if (!step.isPlugin() && graph::isControl(*step.op)) {
                casts_.clear(); // a body has casts of its own, and no one else sees them
            }
            for (std::size_t i = 0; i < step.inputs().size(); ++i) {
                if (step.inputs()[i] != ValueId::kNone) {
                    ValueId const wanted = as(step.inputs()[i], step.kernel.inputs[i]);
                    if (wanted != step.inputs()[i]) {
                        rewriter_.setInput(id, i, wanted);
                    }
                }
            }
            for (std::size_t i = 0; i < step.outputs().size(); ++i) {
                produce(id, i, step.kernel.outputs[i]);
            }
        }
    }

private:
    using Key = std::tuple<ValueId, DataType, TensorFormat, uint16_t>;

    /// Adds a cast in front of the current step.
    void addCast(ValueId from, ValueId to) {
        rewriter_.insertBefore(place_, makeCast(program_, from, to));
    }

    ValueId copyOf(ValueId value, target::OperandType type) {
        Value copy;
        bool const linear = type.format == TensorFormat::kLINEAR;
        copy.name =
            fmt::format("{} ({}{}{})", program_.value(value).name, nameOf(type.type),
                        linear ? "" : " ", linear ? "" : formatName(program_.backend, type));
        copy.type = type;
        copy.shape = program_.value(value).shape;
        copy.origin = program_.value(value).origin;
        return program_.addValue(std::move(copy));
    }

    /// The value in another type or format; one cast serves all its users.
    ValueId as(ValueId value, target::OperandType type) {
        target::OperandType const own = program_.value(value).type;
        if (own == type) {
            return value;
        }
        if (program_.value(value).role == plan::TensorRole::kInput) {
            checkDirect(value, "input", type);
        }
        Key const key{value, type.type, type.format, type.tag};
        if (auto const found = casts_.find(key); found != casts_.end()) {
            return found->second;
        }
        ValueId const source = own.type == type.type ? value : linear(value, type);
        ValueId const copy = copyOf(value, type);
        if (!convertConstant(value, source, copy)) {
            addCast(source, copy);
        }
        casts_.emplace(key, copy);
        return copy;
    }

    /// Converts a constant when the engine is built; false for other values.
    bool convertConstant(ValueId value, ValueId source, ValueId copy) {
        if (program_.value(source).role != plan::TensorRole::kConstant) {
            return false;
        }
        Value& result = program_.value(copy);
        if (result.type.tag != 0) { // an order of the target's own, which the host does not know
            return false;
        }
        if (result.type.format == TensorFormat::kLINEAR) {
            result.recipe = constantAs(program_, value, result.type.type);
        } else {
            result.recipe = recipeOf(program_, makeCast(program_, source, copy));
        }
        if (result.recipe == nullptr) {
            return false;
        }
        result.role = plan::TensorRole::kConstant;
        return true;
    }

    /// Casts work on linear tensors. Returns the value that needs only one more step to `type`.
    ValueId linear(ValueId value, target::OperandType type) {
        if (type.format != TensorFormat::kLINEAR) {
            return as(value, {type.type, TensorFormat::kLINEAR});
        }
        return as(value, {program_.value(value).type.type, TensorFormat::kLINEAR});
    }

    /// Enforces BuilderFlag::kDIRECT_IO: tensors whose formats the user chose are not converted.
    void checkDirect(ValueId index, char const* role, target::OperandType type) const {
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

    /// Handles a step that writes its output in `type`. An internal value takes that type. A
    /// network output of another type gets an intermediate value, which is cast behind the step.
    void produce(StepId id, std::size_t index, target::OperandType type) {
        ValueId const output = program_.step(id).outputs()[index];
        target::OperandType const wanted = program_.value(output).type;
        if (wanted == type) {
            return;
        }
        if (program_.value(output).role == plan::TensorRole::kInternal) {
            program_.value(output).type = type;
            return;
        }
        checkDirect(output, "output", type);
        ValueId const aside = copyOf(output, type);
        rewriter_.setOutput(id, index, aside);
        // Users of this type read it directly. Every other copy is made from it.
        casts_.emplace(Key{output, type.type, type.format, type.tag}, aside);
        StepId const behind = program_.afterOf(id);
        place_ = behind;
        bool const oneStep = type.type == wanted.type;
        addCast(oneStep ? aside : linear(aside, wanted), output);
        place_ = id;
    }

    Program& program_;
    Rewriter rewriter_;
    StepId place_ = StepId::kNone; ///< the current step
    std::map<Key, ValueId> casts_;
};

} // namespace

void insertCasts(Program& program) {
    CastInserter(program).run();
}

} // namespace kiln::compiler
