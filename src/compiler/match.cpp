// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/match.h"

#include <algorithm>
#include <cmath>

#include "graph/ops/activation.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/unary.h"

namespace kiln::compiler {
namespace {

using graph::ElementWise;
using nvinfer1::ElementWiseOperation;

ElementWise const* elementwise(Step const* step, ElementWiseOperation operation) {
    ElementWise const* const op = step == nullptr ? nullptr : step->as<ElementWise>();
    return op != nullptr && op->operation == operation ? op : nullptr;
}

} // namespace

bool isAbout(double a, double b) {
    return std::abs(a - b) <= 1e-5 * std::max(std::abs(a), std::abs(b));
}

/// The producer of a value that nothing outside the program sees.
Step const* Matcher::privateProducer(ValueId value) const {
    return program_.value(value).isPrivate() ? program_.producerOf(value) : nullptr;
}

void Matcher::collect(ValueId value, bool root, Product& product) {
    if (std::optional<double> const scalar = scalarOf(program_, value)) {
        product.scale *= *scalar;
        return;
    }
    Step const* const step = root ? program_.producerOf(value) : privateProducer(value);
    bool const inner = root || program_.value(value).users().size() == 1;
    if (inner && elementwise(step, ElementWiseOperation::kPROD) != nullptr) {
        steps_.push_back(program_.value(value).producer());
        collect(step->inputs()[0], false, product);
        collect(step->inputs()[1], false, product);
        return;
    }
    if (inner && elementwise(step, ElementWiseOperation::kDIV) != nullptr) {
        std::optional<double> const divisor = scalarOf(program_, step->inputs()[1]);
        if (divisor.has_value()) {
            steps_.push_back(program_.value(value).producer());
            product.scale /= *divisor;
            collect(step->inputs()[0], false, product);
            return;
        }
    }
    product.factors.push_back(value);
}

Matcher::Product Matcher::product(ValueId value) {
    Product found;
    collect(value, true, found);
    return found;
}

std::optional<std::pair<ValueId, ValueId>> Matcher::sum(ValueId value) {
    Step const* const step = privateProducer(value);
    if (elementwise(step, ElementWiseOperation::kSUM) == nullptr) {
        return std::nullopt;
    }
    steps_.push_back(program_.value(value).producer());
    return std::pair(step->inputs()[0], step->inputs()[1]);
}

std::optional<Matcher::Shifted> Matcher::shifted(ValueId value) {
    std::optional<std::pair<ValueId, ValueId>> const terms = sum(value);
    if (!terms.has_value()) {
        return std::nullopt;
    }
    if (std::optional<double> const second = scalarOf(program_, terms->second)) {
        return Shifted{terms->first, *second};
    }
    if (std::optional<double> const first = scalarOf(program_, terms->first)) {
        return Shifted{terms->second, *first};
    }
    return std::nullopt;
}

std::optional<ValueId> Matcher::unary(ValueId value, nvinfer1::UnaryOperation operation) {
    Step const* const step = privateProducer(value);
    auto const* op = step == nullptr ? nullptr : step->as<graph::Unary>();
    if (op == nullptr || op->operation != operation) {
        return std::nullopt;
    }
    steps_.push_back(program_.value(value).producer());
    return step->inputs()[0];
}

std::optional<ValueId> Matcher::activation(ValueId value, nvinfer1::ActivationType type) {
    Step const* const step = privateProducer(value);
    auto const* op = step == nullptr ? nullptr : step->as<graph::Activation>();
    if (op == nullptr || op->type != type) {
        return std::nullopt;
    }
    steps_.push_back(program_.value(value).producer());
    return step->inputs()[0];
}

bool Matcher::isPower(ValueId value, ValueId base, int32_t exponent) {
    if (exponent == 1) {
        return value == base;
    }
    Step const* const step = privateProducer(value);
    if (elementwise(step, ElementWiseOperation::kPOW) != nullptr) {
        std::optional<double> const power = scalarOf(program_, step->inputs()[1]);
        steps_.push_back(program_.value(value).producer());
        return step->inputs()[0] == base && power.has_value() && *power == exponent;
    }
    if (elementwise(step, ElementWiseOperation::kPROD) == nullptr) {
        return false;
    }
    steps_.push_back(program_.value(value).producer());
    ValueId const left = step->inputs()[0];
    ValueId const right = step->inputs()[1];
    return (left == base && isPower(right, base, exponent - 1)) ||
           (right == base && isPower(left, base, exponent - 1));
}

} // namespace kiln::compiler
