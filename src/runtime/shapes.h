// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "runtime/plan_shapes.h"
#include "runtime/size_points.h"

namespace kiln::runtime {

/// The shapes of one context: input shapes and values within the selected profile, and what follows
/// from them for every tensor. Sizes that plugins compute become known during a run.
class Shapes {
public:
    /// The arguments must outlive the object. `capacity`: bytes that are reserved, by tensor.
    Shapes(plan::Document const& document, SizePoints const& points,
           Table<plan::TensorId, uint64_t> const& capacity);

    int32_t profile() const noexcept { return profile_; }
    /// Throws kInvalidArgument for a profile that the plan does not have.
    void checkProfile(int32_t profile) const;
    /// Forgets all input shapes: they may not fit another profile.
    void setProfile(int32_t profile) noexcept;
    /// Another table, which must outlive the object.
    void setCapacity(Table<plan::TensorId, uint64_t> const& capacity) noexcept {
        capacity_ = &capacity;
    }

    /// Returns whether the shape changed. Throws kInvalidArgument for one outside the profile.
    bool setInput(plan::TensorId tensor, Dims const& dims);
    bool inputKnown(plan::TensorId tensor) const;
    bool inputsKnown() const;
    /// Throws kInvalidState if an input has unknown extents.
    void expectInputs() const;

    /// The inputs whose elements the expressions use.
    std::vector<plan::TensorId> const& inputsByValue() const noexcept { return byValue_; }
    bool isByValue(plan::TensorId tensor) const;
    /// The number of elements to read from such an input.
    std::size_t valueCount(plan::TensorId tensor) const;
    /// Reads its elements; returns whether one changed. Throws kInvalidArgument for a value outside
    /// the profile.
    bool readInput(plan::TensorId tensor, void const* data);
    /// Whether all of these were read.
    bool valuesKnown() const;

    /// Current dimensions; -1 where they depend on unknown input shapes or on sizes of a run.
    Dims of(plan::TensorId tensor) const { return upTo(tensor, SizePoints::kAlways); }
    /// The same with the sizes of the last run.
    Dims found(plan::TensorId tensor) const { return upTo(tensor, known_); }

    /// Sizes of the last run belong to other shapes.
    void forgetSizes() noexcept;
    /// Computes everything that is known before a run.
    void resolve();
    /// Throws kPlugin for a size that is negative or above its bound.
    void setSize(std::size_t step, plan::TensorId sizeTensor, int64_t size);
    /// Computes what became known after a step that writes sizes and nothing else, so that the time
    /// of a chain of such plugins grows linearly with its length.
    void settle(std::size_t step);
    /// The last step whose sizes are known; kAlways before the first.
    int32_t knownUpTo() const noexcept { return known_; }

    // Valid after resolve().
    Table<plan::TensorId, Dims> const& dims() const noexcept {
        return dims_;
    } ///< -1: not known yet
    Table<plan::TensorId, Dims> const& bounds() const noexcept {
        return bounds_;
    } ///< sizes at their bounds
    std::span<int64_t const> values() const noexcept { return values_; } ///< of the expressions
    /// Bytes that suffice for each tensor at the current shapes, for all sizes that a run may find.
    Table<plan::TensorId, uint64_t> bytes() const;

private:
    plan::TensorRecord const& record(plan::TensorId tensor) const {
        return document_.tensors[tensor];
    }
    Dims upTo(plan::TensorId tensor, int32_t known) const;
    void checkResolved(plan::TensorId tensor) const;
    void checkValues(plan::TensorId tensor, std::span<int64_t const> values) const;
    void hideUnknown(plan::TensorId tensor);

    plan::Document const& document_;
    SizePoints const& points_;
    Table<plan::TensorId, uint64_t> const* capacity_;
    int32_t profile_ = 0;
    int32_t known_ = SizePoints::kAlways; ///< sizes up to this step are known
    Leaves leaves_;
    std::vector<plan::TensorId> byValue_;
    std::vector<int64_t> scratch_; ///< elements just read; reused buffer
    std::vector<int64_t> values_;
    Table<plan::TensorId, Dims> dims_;
    Table<plan::TensorId, Dims> bounds_;
};

} // namespace kiln::runtime
