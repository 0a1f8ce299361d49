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
    /// The arguments must outlive the object. `capacity`: bytes that the plan reserves, by tensor.
    Shapes(plan::Document const& document, SizePoints const& points,
           std::vector<uint64_t> const& capacity);

    int32_t profile() const noexcept { return profile_; }
    /// Throws kInvalidArgument for a profile that the plan does not have.
    void checkProfile(int32_t profile) const;
    /// Forgets all input shapes: they may not fit another profile.
    void setProfile(int32_t profile) noexcept;

    /// Returns whether the shape changed. Throws kInvalidArgument for one outside the profile.
    bool setInput(int32_t tensor, Dims const& dims);
    bool inputKnown(int32_t tensor) const;
    bool inputsKnown() const;
    /// Throws kInvalidState if an input has unknown extents.
    void expectInputs() const;

    /// The inputs whose elements the expressions use.
    std::vector<int32_t> const& inputsByValue() const noexcept { return byValue_; }
    bool isByValue(int32_t tensor) const;
    /// The number of elements to read from such an input.
    std::size_t valueCount(int32_t tensor) const;
    /// Reads its elements; returns whether one changed. Throws kInvalidArgument for a value outside
    /// the profile.
    bool readInput(int32_t tensor, void const* data);
    /// Whether all of these were read.
    bool valuesKnown() const;

    /// Current dimensions; -1 where they depend on unknown input shapes or on sizes of a run.
    Dims of(int32_t tensor) const { return upTo(tensor, SizePoints::kAlways); }
    /// The same with the sizes of the last run.
    Dims found(int32_t tensor) const { return upTo(tensor, known_); }

    /// Sizes of the last run belong to other shapes.
    void forgetSizes() noexcept;
    /// Computes everything that is known before a run.
    void resolve();
    /// Throws kPlugin for a size that is negative or above its bound.
    void setSize(std::size_t step, int32_t sizeTensor, int64_t size);
    /// Computes what became known after a step that writes sizes and nothing else, so that the time
    /// of a chain of such plugins grows linearly with its length.
    void settle(std::size_t step);
    /// The last step whose sizes are known; kAlways before the first.
    int32_t knownUpTo() const noexcept { return known_; }

    // Valid after resolve().
    std::span<Dims const> dims() const noexcept { return dims_; } ///< by tensor; -1: not known yet
    std::span<Dims const> bounds() const noexcept { return bounds_; }    ///< sizes at their bounds
    std::span<int64_t const> values() const noexcept { return values_; } ///< of the expressions

private:
    plan::TensorRecord const& record(int32_t tensor) const {
        return document_.tensors[static_cast<std::size_t>(tensor)];
    }
    Dims upTo(int32_t tensor, int32_t known) const;
    void checkResolved(int32_t tensor) const;
    void checkValues(int32_t tensor, std::span<int64_t const> values) const;
    void hideUnknown(int32_t tensor);

    plan::Document const& document_;
    SizePoints const& points_;
    std::vector<uint64_t> const& capacity_;
    int32_t profile_ = 0;
    int32_t known_ = SizePoints::kAlways; ///< sizes up to this step are known
    Leaves leaves_;
    std::vector<int32_t> byValue_;
    std::vector<int64_t> scratch_; ///< elements just read; reused buffer
    std::vector<int64_t> values_;
    std::vector<Dims> dims_;
    std::vector<Dims> bounds_;
};

} // namespace kiln::runtime
