// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// x / 2 * (1 + erf(x / sqrt(2))) and x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), as
// exporters write them, become one activation. Source: Hendrycks and Gimpel, "Gaussian error linear
// units", 2016.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "compiler/match.h"
#include "compiler/pattern.h"
#include "graph/ops/activation.h"
#include "graph/ops/elementwise.h"

namespace kiln::compiler {
namespace {

using nvinfer1::ActivationType;

/// Whether `value` is sqrt(2 / pi) * (x + 0.044715 * x^3).
bool isTanhArgument(Matcher& matcher, ValueId value, ValueId x) {
    Matcher::Product const outer = matcher.product(value);
    if (!isAbout(outer.scale, std::sqrt(2.0 / std::numbers::pi)) || outer.factors.size() != 1) {
        return false;
    }
    auto const terms = matcher.sum(outer.factors[0]);
    if (!terms.has_value() || (terms->first != x && terms->second != x)) {
        return false;
    }
    ValueId const cubic = terms->first == x ? terms->second : terms->first;
    Matcher::Product const inner = matcher.product(cubic);
    if (!isAbout(inner.scale, 0.044715)) {
        return false;
    }
    bool const expanded =
        inner.factors.size() == 3 && std::all_of(inner.factors.begin(), inner.factors.end(),
                                                 [&](ValueId factor) { return factor == x; });
    return expanded || (inner.factors.size() == 1 && matcher.isPower(inner.factors[0], x, 3)) ||
           (inner.factors.size() == 2 &&
            ((inner.factors[0] == x && matcher.isPower(inner.factors[1], x, 2)) ||
             (inner.factors[1] == x && matcher.isPower(inner.factors[0], x, 2))));
}

/// The kind of GELU if `gate` is 1 + erf(x / sqrt(2)) or 1 + tanh(...).
std::optional<ActivationType> kindOf(Matcher& matcher, ValueId gate, ValueId x) {
    std::optional<Matcher::Shifted> const sum = matcher.shifted(gate);
    if (!sum.has_value() || !isAbout(sum->shift, 1.0)) {
        return std::nullopt;
    }
    if (auto const argument = matcher.unary(sum->term, nvinfer1::UnaryOperation::kERF)) {
        Matcher::Product const scaled = matcher.product(*argument);
        bool const matches = isAbout(scaled.scale, std::numbers::sqrt2 / 2.0) &&
                             scaled.factors.size() == 1 && scaled.factors[0] == x;
        return matches ? std::optional(ActivationType::kGELU_ERF) : std::nullopt;
    }
    if (auto const argument = matcher.activation(sum->term, ActivationType::kTANH)) {
        return isTanhArgument(matcher, *argument, x) ? std::optional(ActivationType::kGELU_TANH)
                                                     : std::nullopt;
    }
    return std::nullopt;
}

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    Step& step = program.step(id);
    if (static_cast<graph::ElementWise const&>(*step.op).operation !=
        nvinfer1::ElementWiseOperation::kPROD) {
        return false;
    }
    Matcher matcher(program);
    Matcher::Product const product = matcher.product(step.outputs()[0]);
    if (!isAbout(product.scale, 0.5) || product.factors.size() != 2) {
        return false;
    }
    for (std::size_t i = 0; i < 2; ++i) {
        ValueId const x = product.factors[i];
        Matcher parts = matcher;
        std::optional<ActivationType> const kind = kindOf(parts, product.factors[1 - i], x);
        if (!kind.has_value() || !isFloating(program.value(x).type.type) ||
            !(program.value(x).shape == program.value(step.outputs()[0]).shape)) {
            continue;
        }
        auto gelu = std::make_unique<graph::Activation>();
        gelu->type = *kind;
        step.op = std::move(gelu);
        rewriter.join(id, parts.steps(), "recognise_gelu");
        rewriter.setInputs(id, {x});
        return true;
    }
    return false;
}

} // namespace

void registerPattern_recognise_gelu(PatternRegistry& registry) {
    registry.add({"recognise_gelu", {"ElementWise"}, &apply});
}

} // namespace kiln::compiler
