// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "plan/document.h"

namespace kiln::runtime {

/// Values for the leaves of a plan's expressions: extents and host values of the inputs, by
/// inputIndex, and sizes that plugins computed.
class Leaves final : public graph::LeafValues {
public:
    explicit Leaves(plan::Document const& document);
    /// Forgets all but the extents that never change.
    void reset(plan::Document const& document) noexcept;

    Dims& of(int32_t inputIndex) { return dims_[static_cast<std::size_t>(inputIndex)]; }
    Dims const& of(int32_t inputIndex) const { return dims_[static_cast<std::size_t>(inputIndex)]; }
    /// Host values; empty if they are not known yet, or if nothing needs the input's values.
    std::vector<int64_t>& valuesOf(int32_t inputIndex) {
        return values_[static_cast<std::size_t>(inputIndex)];
    }
    std::vector<int64_t> const& valuesOf(int32_t inputIndex) const {
        return values_[static_cast<std::size_t>(inputIndex)];
    }
    /// Takes the optimum of unknown sizes instead of their upper bound.
    void useOptimum() noexcept { optimum_ = true; }
    void setSize(plan::TensorId tensor, int64_t size) { sizes_[tensor] = size; }
    void forgetSizes() noexcept;

    int64_t leaf(graph::ExprNode const& node) const override;
    int64_t sizeTensor(int32_t tensor, int64_t optimum, int64_t upperBound) const override;

private:
    std::vector<Dims> dims_; ///< rank -1 for unused indices
    std::vector<std::vector<int64_t>> values_;
    Table<plan::TensorId, int64_t> sizes_; ///< -1: unknown
    bool optimum_ = false;
};

/// The sorted numbers of the inputs whose host values the plan's expressions use.
std::vector<int32_t> valueInputs(plan::Document const& document);

/// Dimensions of a tensor, from a table of expression values. Throws kInvalidArgument for a
/// negative extent.
Dims shapeOf(plan::TensorRecord const& tensor, std::span<int64_t const> values);

/// Throws kInvalidArgument unless a view that reshapes `memory`, the tensor that it uses, has as
/// many elements. `dims` and `memory` are theirs.
void checkReshape(plan::Document const& document, plan::TensorId view, Dims const& dims,
                  Dims const& memory);

/// Throws kCorruptData unless a view is inside of `memory`, the tensor that it uses, and its
/// beginning is aligned. `dims` and `memory` are theirs.
void checkView(plan::Document const& document, plan::TensorId view, Dims const& dims,
               Dims const& memory, std::span<int64_t const> values);

/// Dimensions of every tensor of the document, with checkView().
void shapesOf(plan::Document const& document, std::span<int64_t const> values,
              Table<plan::TensorId, Dims>& dims);

/// Dimensions of every tensor over one profile.
struct ProfileShapes {
    Table<plan::TensorId, Dims>
        min; ///< bounds of each extent, for all shapes and values in the profile
    Table<plan::TensorId, Dims> opt; ///< at its optimum
    Table<plan::TensorId, Dims> max;
};
ProfileShapes shapesOver(plan::Document const& document, plan::ProfileRecord const& profile);

/// The ranges over all profiles. The optimum is the first profile's.
plan::ProfileRecord unitedProfile(plan::Document const& document);

/// The largest value of each expression, for all shapes and values in the profiles.
std::vector<int64_t> largestValues(plan::Document const& document);

/// The largest size of each tensor in bytes, for all shapes and values in the profiles.
Table<plan::TensorId, uint64_t> capacities(plan::Document const& document);
/// The same in one profile; 0 for a plan without profiles.
Table<plan::TensorId, uint64_t> capacities(plan::Document const& document, std::size_t profile);

} // namespace kiln::runtime
