// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/layout.h"

#include <cstdint>

#include "failure.h"
#include "options/shapes.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::TensorFormat;

struct Traits {
    int32_t channelsFromEnd; ///< the channel dimension is rank - channelsFromEnd
    bool channelsLast;       ///< else vectors of channels are the innermost dimension
    size_t vector;
};

/// For all formats except linear.
Traits traitsOf(std::string const& tensor, TensorFormat format) {
    switch (format) {
    case TensorFormat::kCHW2: return {3, false, 2};
    case TensorFormat::kCHW4: return {3, false, 4};
    case TensorFormat::kCHW16: return {3, false, 16};
    case TensorFormat::kCHW32: return {3, false, 32};
    case TensorFormat::kCDHW32: return {4, false, 32};
    case TensorFormat::kHWC: return {3, true, 1};
    case TensorFormat::kHWC8: return {3, true, 8};
    case TensorFormat::kHWC16: return {3, true, 16};
    case TensorFormat::kDHWC: return {4, true, 1};
    case TensorFormat::kDHWC8: return {4, true, 8};
    default: break;
    }
    fail("[run] tensor '{}': expected a format that the cpu target has, got number {}", tensor,
         static_cast<int32_t>(format));
}

} // namespace

Layout::Layout(std::string const& tensor, TensorFormat format, nvinfer1::Dims const& dims)
    : linear_(format == TensorFormat::kLINEAR) {
    int32_t channelsAt = dims.nbDims;
    if (!linear_) {
        Traits const traits = traitsOf(tensor, format);
        channelsAt -= traits.channelsFromEnd;
        if (channelsAt < 0) {
            fail("[run] tensor '{}': expected {} or more dimensions for its format, got {}", tensor,
                 traits.channelsFromEnd, toText(dims));
        }
        channels_ = static_cast<size_t>(dims.d[channelsAt]);
        vector_ = traits.vector;
        vectors_ = channels_ / vector_ + (channels_ % vector_ != 0 ? 1 : 0);
        channelsLast_ = traits.channelsLast;
    }
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        size_t const extent = i == channelsAt ? vectors_ * vector_ : static_cast<size_t>(dims.d[i]);
        if (dims.d[i] < 0 || __builtin_mul_overflow(elements_, extent, &elements_)) {
            fail("[run] tensor '{}': expected extents that fit into memory, got {}", tensor,
                 toText(dims));
        }
        inner_ *= i > channelsAt ? extent : 1;
    }
}

size_t Layout::place(size_t number) const noexcept {
    if (linear_) {
        return number;
    }
    size_t const outer = number / (channels_ * inner_);
    size_t const channel = number / inner_ % channels_;
    size_t const rest = number % inner_;
    if (channelsLast_) {
        return (outer * inner_ + rest) * vectors_ * vector_ + channel;
    }
    return ((outer * vectors_ + channel / vector_) * inner_ + rest) * vector_ + channel % vector_;
}

} // namespace kiln::trtexec
