// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include <optional>
#include <vector>

#include "compiler/constants.h"
#include "compiler/program.h"

namespace kiln::compiler {

/// Helpers of patterns that recognise a function from its parts. Each remembers the steps that it
/// went through, which the pattern replaces.
class Matcher {
public:
    explicit Matcher(Program const& program) : program_(program) {}

    /// The steps that the functions below went through.
    std::vector<StepId> const& steps() const noexcept { return steps_; }

    /// The factors of the product that makes `value`: x and y of x * y, and those of y if nothing
    /// else reads y. Divisions by a scalar count as a factor of `scale`.
    struct Product {
        double scale = 1.0;           ///< all scalar factors
        std::vector<ValueId> factors; ///< all others
    };
    Product product(ValueId value);

    /// x and c of x + c, in either order; nullopt if the value is no such sum.
    struct Shifted {
        ValueId term = ValueId::kNone;
        double shift = 0.0;
    };
    std::optional<Shifted> shifted(ValueId value);

    /// Both terms of x + y.
    std::optional<std::pair<ValueId, ValueId>> sum(ValueId value);

    /// The operand of a unary operation or of an activation.
    std::optional<ValueId> unary(ValueId value, nvinfer1::UnaryOperation operation);
    std::optional<ValueId> activation(ValueId value, nvinfer1::ActivationType type);

    /// Whether `value` is base ^ exponent: as a power, or as a product of equal factors.
    bool isPower(ValueId value, ValueId base, int32_t exponent);

private:
    Step const* privateProducer(ValueId value) const;
    void collect(ValueId value, bool root, Product& product);

    Program const& program_;
    std::vector<StepId> steps_;
};

/// Whether two numbers are equal to about five digits, as constants in models are written.
bool isAbout(double a, double b);

} // namespace kiln::compiler
