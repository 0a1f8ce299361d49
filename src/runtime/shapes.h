// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "plan/document.h"

namespace kiln::runtime {

/// Extents of the inputs, by inputIndex, as the leaves of a plan's expressions.
class InputExtents final : public graph::LeafValues {
public:
    explicit InputExtents(plan::Document const& document);

    Dims& of(int32_t inputIndex) { return dims_[static_cast<std::size_t>(inputIndex)]; }
    Dims const& of(int32_t inputIndex) const { return dims_[static_cast<std::size_t>(inputIndex)]; }
    int64_t leaf(graph::ExprNode const& node) const override;

private:
    std::vector<Dims> dims_; ///< rank -1 for numbers that no input has
};

/// Dimensions of every tensor of the document, by a table of expression values.
void shapesOf(plan::Document const& document, std::span<int64_t const> values,
              std::span<Dims> dims);

enum class ProfileCorner { kMin, kOpt, kMax };

/// Dimensions of every tensor at one corner of a profile. With no dynamic input, `profile` may be
/// any number.
std::vector<Dims> shapesAt(plan::Document const& document, std::size_t profile,
                           ProfileCorner corner);

/// Bytes that each tensor may take at most: the largest of all corners of all profiles.
std::vector<uint64_t> capacities(plan::Document const& document);

} // namespace kiln::runtime
