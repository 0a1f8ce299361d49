// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon), and RMS normalization, which does not
// subtract the mean, become one Normalization. Casts to float32 around it go, since kernels compute
// in float32. Scale and bias join it by fold_affine. Sources: Ba et al., "Layer normalization",
// 2016; Zhang and Sennrich, "Root mean square layer normalization", 2019.
#include <algorithm>
#include <cmath>

#include "compiler/match.h"
#include "compiler/pattern.h"
#include "graph/ops/cast.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/normalization.h"
#include "graph/ops/reduce.h"
#include "graph/ops/unary.h"

namespace kiln::compiler {
namespace {

using nvinfer1::ElementWiseOperation;
using nvinfer1::UnaryOperation;

/// What a step normalizes.
struct Normalized {
    ValueId x = ValueId::kNone;
    uint32_t axes = 0;
    double epsilon = 0.0;
    bool centers = false;
};

class NormalizationMatcher {
public:
    NormalizationMatcher(Program const& program, StepId last) : program_(program) {
        steps_.push_back(last);
    }

    std::vector<StepId> const& steps() const noexcept { return steps_; }

    /// numerator / deviation, or numerator * (1 / deviation).
    std::optional<Normalized> match() {
        Step const& step = program_.step(steps_.front());
        auto const operation = step.as<graph::ElementWise>()->operation;
        ValueId const left = step.inputs()[0];
        ValueId const right = step.inputs()[1];
        if (operation == ElementWiseOperation::kDIV) {
            return quotient(left, root(right));
        }
        if (operation != ElementWiseOperation::kPROD) {
            return std::nullopt;
        }
        std::optional<Normalized> found = quotient(left, inverseRoot(right));
        if (!found.has_value()) {
            steps_.resize(1);
            found = quotient(right, inverseRoot(left));
        }
        return found;
    }

private:
    Step const* inner(ValueId value) {
        return program_.value(value).isPrivate() ? program_.producerOf(value) : nullptr;
    }
    void note(ValueId value) { steps_.push_back(program_.value(value).producer()); }

    /// Both operands of an elementwise operation.
    std::optional<std::pair<ValueId, ValueId>> operands(ValueId value,
                                                        ElementWiseOperation operation) {
        Step const* const step = inner(value);
        auto const* op = step == nullptr ? nullptr : step->as<graph::ElementWise>();
        if (op == nullptr || op->operation != operation) {
            return std::nullopt;
        }
        note(value);
        return std::pair(step->inputs()[0], step->inputs()[1]);
    }

    std::optional<ValueId> operand(ValueId value, UnaryOperation operation) {
        Step const* const step = inner(value);
        auto const* op = step == nullptr ? nullptr : step->as<graph::Unary>();
        if (op == nullptr || op->operation != operation) {
            return std::nullopt;
        }
        note(value);
        return step->inputs()[0];
    }

    /// a of a ^ power.
    std::optional<ValueId> base(ValueId value, double power) {
        auto const pair = operands(value, ElementWiseOperation::kPOW);
        bool const fits = pair.has_value() && scalarOf(program_, pair->second) == power;
        return fits ? std::optional(pair->first) : std::nullopt;
    }

    /// a of sqrt(a).
    std::optional<ValueId> root(ValueId value) {
        std::optional<ValueId> const found = operand(value, UnaryOperation::kSQRT);
        return found.has_value() ? found : base(value, 0.5);
    }

    /// a of 1 / sqrt(a).
    std::optional<ValueId> inverseRoot(ValueId value) {
        if (std::optional<ValueId> const inverse = operand(value, UnaryOperation::kRECIP)) {
            return root(*inverse);
        }
        if (auto const pair = operands(value, ElementWiseOperation::kDIV)) {
            return scalarOf(program_, pair->first) == 1.0 ? root(pair->second) : std::nullopt;
        }
        return base(value, -0.5);
    }

    /// The value and the axes of an average.
    std::optional<std::pair<ValueId, uint32_t>> average(ValueId value) {
        Step const* const step = inner(value);
        auto const* op = step == nullptr ? nullptr : step->as<graph::Reduce>();
        if (op == nullptr || op->operation != nvinfer1::ReduceOperation::kAVG || !op->keepsAxes) {
            return std::nullopt;
        }
        note(value);
        return std::pair(step->inputs()[0], op->axes);
    }

    /// The value that is squared: y of y ^ 2 or y * y.
    std::optional<ValueId> squared(ValueId value) {
        if (std::optional<ValueId> const found = base(value, 2.0)) {
            return found;
        }
        auto const pair = operands(value, ElementWiseOperation::kPROD);
        return pair.has_value() && pair->first == pair->second ? std::optional(pair->first)
                                                               : std::nullopt;
    }

    /// numerator / sqrt(radicand), where radicand is mean(numerator ^ 2) + epsilon.
    std::optional<Normalized> quotient(ValueId numerator, std::optional<ValueId> radicand) {
        auto const terms =
            radicand.has_value() ? operands(*radicand, ElementWiseOperation::kSUM) : std::nullopt;
        if (!terms.has_value()) {
            return std::nullopt;
        }
        bool const swapped = scalarOf(program_, terms->first).has_value();
        std::optional<double> const epsilon =
            scalarOf(program_, swapped ? terms->first : terms->second);
        auto const variance = average(swapped ? terms->second : terms->first);
        auto const deviations =
            variance.has_value() ? squared(variance->first) : std::optional<ValueId>();
        if (!epsilon.has_value() || !deviations.has_value() || !(*epsilon >= 0.0) ||
            !std::isfinite(static_cast<float>(*epsilon))) {
            return std::nullopt;
        }
        Normalized found{numerator, variance->second, *epsilon, false};
        if (std::optional<ValueId> const x = centered(*deviations, found.axes)) {
            // Some exporters subtract the mean twice.
            bool const same = numerator == *deviations || centered(numerator, found.axes) == x;
            found.x = *x;
            found.centers = true;
            return same ? std::optional(found) : std::nullopt;
        }
        return numerator == *deviations ? std::optional(found) : std::nullopt;
    }

    /// x of x - mean(x).
    std::optional<ValueId> centered(ValueId value, uint32_t axes) {
        std::size_t const before = steps_.size();
        if (auto const pair = operands(value, ElementWiseOperation::kSUB)) {
            auto const mean = average(pair->second);
            if (mean.has_value() && mean->first == pair->first && mean->second == axes) {
                return pair->first;
            }
        }
        steps_.resize(before);
        return std::nullopt;
    }

    Program const& program_;
    std::vector<StepId> steps_;
};

/// Whether only the steps themselves read the values between them.
bool areInner(Program const& program, std::vector<StepId> const& steps) {
    return std::all_of(steps.begin() + 1, steps.end(), [&](StepId id) {
        Value const& value = program.value(program.step(id).outputs()[0]);
        return std::all_of(value.users().begin(), value.users().end(), [&](Use const& use) {
            return std::find(steps.begin(), steps.end(), use.step) != steps.end();
        });
    });
}

/// Whether the axes are the last ones, for which there are fast kernels.
bool areLast(uint32_t axes, int32_t rank) {
    uint32_t const all = (1U << static_cast<uint32_t>(rank)) - 1U;
    uint32_t const others = ~axes & all;
    return axes != 0 && (others & (others + 1U)) == 0;
}

/// Leaves out a cast to float32 in front if the only reader of the result casts it back.
void dropCasts(Rewriter& rewriter, StepId& last, ValueId& x, std::vector<StepId>& steps) {
    Program const& program = rewriter.program();
    Value const& result = program.value(program.step(last).outputs()[0]);
    Step const* const before = program.producerOf(x);
    if (before == nullptr || before->as<graph::Cast>() == nullptr || !result.isPrivate() ||
        result.users().size() != 1) {
        return;
    }
    StepId const behind = result.users()[0].step;
    DataType const type = program.value(before->inputs()[0]).type.type;
    if (program.step(behind).as<graph::Cast>() == nullptr || !isFloating(type) ||
        program.value(program.step(behind).outputs()[0]).type.type != type) {
        return;
    }
    x = before->inputs()[0];
    last = behind;
    steps.push_back(behind);
}

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    NormalizationMatcher matcher(program, id);
    std::optional<Normalized> const found = matcher.match();
    if (!found.has_value() || !areInner(program, matcher.steps())) {
        return false;
    }
    Value const& x = program.value(found->x);
    if (!isFloating(x.type.type) || !areLast(found->axes, x.shape.rank) ||
        !(x.shape == program.value(program.step(id).outputs()[0]).shape)) {
        return false;
    }
    ValueId source = found->x;
    StepId last = id;
    std::vector<StepId> steps = matcher.steps();
    dropCasts(rewriter, last, source, steps);
    auto op = std::make_unique<graph::Normalization>();
    op->axes = found->axes;
    op->epsilon = static_cast<float>(found->epsilon);
    op->centers = found->centers;
    Dims ones{x.shape.rank, {}};
    std::fill_n(ones.d, ones.nbDims, 1);
    std::string const name = program.step(id).name;
    DataType const type = program.value(source).type.type;
    ValueId const scale =
        program.addValue(floatConstant(program, name + "/scale", type, ones, {1.0F}));
    ValueId const bias =
        program.addValue(floatConstant(program, name + "/bias", type, ones, {0.0F}));
    program.step(last).op = std::move(op);
    rewriter.join(last, steps, "recognise_layer_norm");
    rewriter.setInputs(last, {source, scale, bias});
    for (StepId const step : steps) {
        if (step != last && !program.isErased(step)) {
            rewriter.erase(step);
        }
    }
    return true;
}

} // namespace

void registerPattern_recognise_layer_norm(PatternRegistry& registry) {
    registry.add({"recognise_layer_norm", {"ElementWise"}, &apply});
}

} // namespace kiln::compiler
