// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/layout.h"

#include <algorithm>

namespace kiln::target {

std::string layoutProblem(Layout const& layout, DataType type, int32_t rank) {
    FormatTraits const& traits = layout.traits;
    if (layout.tag == 0 || layout.name.empty() || layout.format == TensorFormat::kLINEAR) {
        return fmt::format("expected a tag, a name and a format that is not linear, got {}, '{}' "
                           "and {}",
                           layout.tag, layout.name, nameOf(layout.format));
    }
    if (traits.vector < 1 || traits.vector > kMostVector || traits.channelsFromEnd < 1 ||
        !fits(traits, type, rank)) {
        return fmt::format("expected vectors of 1 to {} channels and an axis of channels that a "
                           "tensor of {} dimensions of {} has, got {} channels of axis {} from "
                           "the end",
                           kMostVector, rank, nameOf(type), traits.vector, traits.channelsFromEnd);
    }
    return {};
}

Layout const* findLayout(std::span<Layout const> layouts, uint16_t tag) noexcept {
    auto const found = std::find_if(layouts.begin(), layouts.end(),
                                    [&](Layout const& layout) { return layout.tag == tag; });
    return tag == 0 || found == layouts.end() ? nullptr : &*found;
}

std::optional<FormatTraits> traitsIn(std::span<Layout const> layouts, OperandType const& type,
                                     int32_t rank) noexcept {
    if (type.tag == 0) {
        return fitsFormat(type.format, type.type, rank) ? traitsOf(type.format) : std::nullopt;
    }
    Layout const* const layout = findLayout(layouts, type.tag);
    bool const known =
        layout != nullptr && layout->format == type.format && fits(layout->traits, type.type, rank);
    return known ? std::optional(layout->traits) : std::nullopt;
}

std::size_t bytesIn(std::span<Layout const> layouts, OperandType const& type, Dims const& dims,
                    std::string_view what) {
    if (type.tag == 0) {
        return storageBytes(type.type, type.format, dims, what);
    }
    std::optional<FormatTraits> const traits = traitsIn(layouts, type, dims.nbDims);
    uint64_t bytes = 0;
    if (!traits.has_value() || !storageBytes(type.type, *traits, dims, bytes)) {
        fail(ErrorKind::kInvalidArgument,
             "[size] {}: expected extents and a layout of the target that fit into memory, got {} "
             "as {} in {}, layout {}. Use smaller extents.",
             what, toText(dims), nameOf(type.type), nameOf(type.format), type.tag);
    }
    return bytes;
}

} // namespace kiln::target
