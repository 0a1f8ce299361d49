// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/offer.h"
#include "compiler/rewriter.h"

namespace kiln::compiler {

/// A product x W, whose weights are one constant matrix [inner, width], or [width, inner] if
/// transposed, with axes of 1 in front.
struct WeightProduct {
    StepId step = StepId::kNone;
    ValueId x = ValueId::kNone;
    ValueId weights = ValueId::kNone;
    bool transposed = false;
    int64_t width = 0;
};

/// The product that makes a value; nullopt if it is no such product, or if something besides the
/// program's steps sees the value.
std::optional<WeightProduct> weightProductOf(Program const& program, ValueId value);

/// Products of one tensor as one product with the weights side by side. Its result is their results
/// side by side along the last axis.
class JoinedProduct {
public:
    /// Adds values to the program and to the extents, but no step. The parts must fit (fits()).
    JoinedProduct(Program& program, Extents& extents, std::vector<WeightProduct> parts);

    /// Whether products read one tensor with weights of one type and order.
    static bool fits(Program const& program, std::vector<WeightProduct> const& parts);

    /// The product.
    Step const& step() const noexcept { return step_; }
    ValueId result() const noexcept { return step_.outputs()[0]; }
    /// The first column of a part in the result.
    int64_t beginOf(std::size_t part) const { return begins_.at(part); }
    /// Of all parts.
    int64_t width() const noexcept { return width_; }

    /// Inserts the product in front of the first of its parts, which stay.
    StepId insert(Rewriter& rewriter, std::string_view pattern);

private:
    StepId place() const;

    Program& program_;
    std::vector<WeightProduct> parts_;
    std::vector<int64_t> begins_;
    int64_t width_ = 0;
    Step step_;
};

/// A new value like another one, with `width` elements along the last axis.
ValueId addWithWidth(Program& program, Extents& extents, ValueId like, int64_t width);

/// A new constant without a recipe, of the type of another one.
ValueId addConstantLike(Program& program, Extents& extents, ValueId like, Dims const& dims);

/// Constant matrices [..., n, m] side by side along the last axis, or along the one in front of it.
/// Axes in front of those are 1.
target::RecipePtr sideBySide(Program const& program, std::vector<ValueId> const& parts,
                             bool lastAxis);

} // namespace kiln::compiler
