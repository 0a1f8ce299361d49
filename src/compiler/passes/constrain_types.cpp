// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Precisions and output types that the user wants. A layer gets casts around it, such that the type
// is the declared one, and is pinned to it, as are the steps that it becomes a part of.
#include "compiler/cast_step.h"
#include "compiler/offer.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "graph/ops/control.h"

namespace kiln::compiler {
namespace {

class Constrainer {
public:
    explicit Constrainer(Program& program)
        : program_(program), rewriter_(program), extents_(extentsOf(program)) {}

    void run() {
        std::vector<StepId> constrained;
        for (StepId const id : program_.order()) {
            Step const& step = program_.step(id);
            bool const typed = std::any_of(step.outputTypes.begin(), step.outputTypes.end(),
                                           [](auto const& type) { return type.has_value(); });
            if (step.precision.has_value() || typed) {
                constrained.push_back(id);
            }
        }
        if (!constrained.empty() && !binds()) {
            program_.options.log.info(
                "[builder] precisions and output types of layers without effect: the builder "
                "chooses, unless BuilderFlag OBEY_PRECISION_CONSTRAINTS or "
                "PREFER_PRECISION_CONSTRAINTS is set.");
            return;
        }
        for (StepId const id : constrained) {
            constrain(id);
        }
    }

private:
    bool binds() const {
        return program_.options.obeyPrecision || program_.options.preferPrecision;
    }

    void constrain(StepId id) {
        if (graph::isControl(*program_.step(id).op)) {
            return;
        }
        std::size_t const count = program_.step(id).outputs().size();
        for (std::size_t i = 0; i < count && i < program_.step(id).outputTypes.size(); ++i) {
            if (auto const type = program_.step(id).outputTypes[i]) {
                storeIn(id, i, *type);
            }
        }
        if (auto const precision = program_.step(id).precision) {
            computeIn(id, *precision);
        }
    }

    /// What stands against a constraint: fails the build, or is a warning.
    void conflict(Step const& step, char const* what, DataType type, std::string const& reason) {
        if (program_.options.obeyPrecision) {
            fail(ErrorKind::kUnsupported,
                 "[builder] layer '{}', {} {}: {}. Choose another type, or set BuilderFlag "
                 "PREFER_PRECISION_CONSTRAINTS instead of OBEY_PRECISION_CONSTRAINTS.",
                 step.name, what, nameOf(type), reason);
        }
        program_.options.log.warning("[builder] layer '{}', {} {}: ignored, because {}.", step.name,
                                     what, nameOf(type), reason);
    }

    /// Why the flags do not allow a type; empty if they do.
    std::string refusalOf(DataType type) const {
        Options const& options = program_.options;
        bool const allowed = type == DataType::kHALF   ? options.allowHalf
                             : type == DataType::kBF16 ? options.allowBfloat16
                                                       : true;
        return allowed ? std::string()
                       : fmt::format("BuilderFlag {} is not set",
                                     type == DataType::kHALF ? "FP16" : "BF16");
    }

    /// Whether the layer may choose the type of an operand, inputs first.
    bool isFree(Step const& step, std::size_t operand) const {
        if (step.isPlugin() || !isFloating(program_.value(operandOf(step, operand)).type.type)) {
            return false;
        }
        return step.op->typeRule(static_cast<int32_t>(operand),
                                 static_cast<int32_t>(step.inputs().size())) ==
               graph::TypeRule::kCompute;
    }

    void computeIn(StepId id, DataType type) {
        Step const& step = program_.step(id);
        std::size_t const inputs = step.inputs().size();
        std::vector<std::size_t> free;
        for (std::size_t i = 0; i < inputs + step.outputs().size(); ++i) {
            if (isFree(step, i)) {
                free.push_back(i);
            }
        }
        bool const present =
            std::any_of(step.outputs().begin(), step.outputs().end(),
                        [&](ValueId output) { return program_.value(output).type.type == type; });
        if (type == DataType::kINT8 && step.pinned) {
            return; // its operands are quantized
        }
        if (!isFloating(type) || (free.empty() && type != DataType::kFLOAT)) {
            if (!present) {
                conflict(step, "precision", type, "it does not compute in this type");
            }
            return;
        }
        std::string refusal = refusalOf(type);
        if (refusal.empty() && type != DataType::kFLOAT && !step.isPlugin()) {
            refusal = offerFor(program_, extents_, step, type).refusal;
        }
        if (!refusal.empty()) {
            conflict(step, "precision", type, refusal);
            return;
        }
        for (std::size_t const operand : free) {
            if (program_.value(operandOf(program_.step(id), operand)).type.type == type) {
                continue;
            }
            operand < inputs ? castInput(id, operand, type)
                             : castOutput(id, operand - inputs, type);
        }
        program_.step(id).pinned = true;
    }

    ValueId copyOf(ValueId original, DataType type) {
        Value value;
        value.name = fmt::format("{} ({})", program_.value(original).name, nameOf(type));
        value.type.type = type;
        value.shape = program_.value(original).shape;
        ValueId const copy = program_.addValue(std::move(value));
        for (auto* const table : {&extents_.min, &extents_.opt, &extents_.max}) {
            table->push_back((*table)[original]); // later layers read the copy
        }
        return copy;
    }

    void castInput(StepId id, std::size_t input, DataType type) {
        ValueId const source = program_.step(id).inputs()[input];
        ValueId const copy = copyOf(source, type);
        rewriter_.insertBefore(id, makeCast(program_, source, copy));
        rewriter_.setInput(id, input, copy);
    }

    /// The layer writes a new value, from which a cast makes the old one.
    void castOutput(StepId id, std::size_t output, DataType type) {
        ValueId const target = program_.step(id).outputs()[output];
        ValueId const copy = copyOf(target, type);
        rewriter_.setOutput(id, output, copy);
        rewriter_.insertAfter(id, makeCast(program_, copy, target));
    }

    void storeIn(StepId id, std::size_t output, DataType type) {
        Step const& step = program_.step(id);
        ValueId const value = step.outputs()[output];
        DataType const declared = program_.value(value).type.type;
        if (declared == type) {
            program_.step(id).pinned = true;
            return;
        }
        if (program_.value(value).role == plan::TensorRole::kInternal &&
            program_.value(value).users().size() == 1 && isOutputCast(value, type)) {
            return; // importNetwork() converts outputs of the network
        }
        std::string refusal = isFloating(declared) && isFloating(type)
                                  ? refusalOf(type)
                                  : fmt::format("the output is of {}", nameOf(declared));
        if (!refusal.empty()) {
            conflict(step, "output type", type, refusal);
            return;
        }
        ValueId const narrow = copyOf(value, type);
        ValueId const wide = copyOf(value, declared);
        rewriter_.setOutput(id, output, wide);
        StepId const back = rewriter_.insertAfter(id, makeCast(program_, narrow, value));
        StepId const to = rewriter_.insertAfter(id, makeCast(program_, wide, narrow));
        program_.step(back).pinned = program_.step(to).pinned = true;
    }

    /// Whether the only reader makes an output of the network in this type.
    bool isOutputCast(ValueId value, DataType type) const {
        Step const& reader = program_.step(program_.value(value).users()[0].step);
        return reader.outputs().size() == 1 &&
               program_.value(reader.outputs()[0]).role == plan::TensorRole::kOutput &&
               program_.value(reader.outputs()[0]).type.type == type;
    }

    Program& program_;
    Rewriter rewriter_;
    Extents extents_;
};

} // namespace

void constrainTypes(Program& program) {
    Constrainer(program).run();
}

} // namespace kiln::compiler
