// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/tensor_layout.h"
#include "target/kernel.h"

namespace kiln::target {

/// An order of elements that a target owns, for values between its kernels. Plugins, inputs and
/// outputs of a network never have one. It is data, so that everyone can tell how many bytes a
/// tensor takes: the compiler, a context, and the reader of a plan.
struct Layout {
    uint16_t tag = 0;                            ///< OperandType::tag, never 0
    std::string name;                            ///< for the inspector: "hwc padded to 4"
    TensorFormat format = TensorFormat::kLINEAR; ///< OperandType::format: the nearest public one
    FormatTraits traits;                         ///< the order and the padding

    bool operator==(Layout const&) const = default;
};

/// Channels of a vector in a layout: enough for every target.
inline constexpr int64_t kMostVector = 1024;

/// Why these numbers are no layout for tensors of that type and rank; empty if they are.
std::string layoutProblem(Layout const& layout, DataType type, int32_t rank);

/// The layout with this tag; null: none.
Layout const* findLayout(std::span<Layout const> layouts, uint16_t tag) noexcept;

/// How a type orders its elements: as its format says, or a layout. Empty if there is no such
/// layout, or if it does not fit the rank.
std::optional<FormatTraits> traitsIn(std::span<Layout const> layouts, OperandType const& type,
                                     int32_t rank) noexcept;

/// Bytes of a tensor with its padding. Throws kInvalidArgument, naming `what`.
std::size_t bytesIn(std::span<Layout const> layouts, OperandType const& type, Dims const& dims,
                    std::string_view what);

} // namespace kiln::target
