// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/tensor_layout.h"

namespace kiln {

std::optional<FormatTraits> traitsOf(TensorFormat format) noexcept {
    switch (format) {
    case TensorFormat::kLINEAR: return FormatTraits{};
    case TensorFormat::kCHW2: return FormatTraits{3, false, 2};
    case TensorFormat::kHWC8: return FormatTraits{3, true, 8};
    case TensorFormat::kCHW4: return FormatTraits{3, false, 4};
    case TensorFormat::kCHW16: return FormatTraits{3, false, 16};
    case TensorFormat::kCHW32: return FormatTraits{3, false, 32};
    case TensorFormat::kDHWC8: return FormatTraits{4, true, 8};
    case TensorFormat::kCDHW32: return FormatTraits{4, false, 32};
    case TensorFormat::kHWC: return FormatTraits{3, true, 1};
    case TensorFormat::kHWC16: return FormatTraits{3, true, 16};
    case TensorFormat::kDHWC: return FormatTraits{4, true, 1};
    case TensorFormat::kDLA_LINEAR:
    case TensorFormat::kDLA_HWC4: break;
    }
    return std::nullopt;
}

bool fits(FormatTraits const& traits, DataType type, int32_t rank) noexcept {
    bool const byteSized = type != DataType::kINT4 && type != DataType::kFP4;
    return traits.channelsFromEnd == 0 || (byteSized && rank >= traits.channelsFromEnd);
}

bool fitsFormat(TensorFormat format, DataType type, int32_t rank) noexcept {
    std::optional<FormatTraits> const traits = traitsOf(format);
    return traits.has_value() && fits(*traits, type, rank);
}

bool storageBytes(DataType type, TensorFormat format, Dims const& dims, uint64_t& bytes) noexcept {
    std::optional<FormatTraits> const traits = traitsOf(format);
    return traits.has_value() && storageBytes(type, *traits, dims, bytes);
}

bool storageBytes(DataType type, FormatTraits const& traits, Dims const& dims,
                  uint64_t& bytes) noexcept {
    if (!fits(traits, type, dims.nbDims)) {
        return false;
    }
    int32_t const channels = dims.nbDims - traits.channelsFromEnd;
    int64_t bits = bitsOf(type);
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        int64_t extent = dims.d[i];
        if (extent < 0 || extent > INT64_MAX - traits.vector) {
            return false;
        }
        if (i == channels) {
            extent = (extent + traits.vector - 1) / traits.vector * traits.vector;
        }
        if (__builtin_mul_overflow(bits, extent, &bits)) {
            return false;
        }
    }
    bytes = static_cast<uint64_t>(bits / 8 + (bits % 8 != 0 ? 1 : 0));
    return true;
}

std::size_t storageBytes(DataType type, TensorFormat format, Dims const& dims,
                         std::string_view what) {
    uint64_t bytes = 0;
    if (!storageBytes(type, format, dims, bytes)) {
        fail(ErrorKind::kInvalidArgument,
             "[size] {}: expected extents and a format that fit into memory, got {} as {} in {}. "
             "Use smaller extents or another format.",
             what, toText(dims), nameOf(type), nameOf(format));
    }
    return bytes;
}

Dims stridesOf(TensorFormat format, Dims const& dims) noexcept {
    FormatTraits const traits = traitsOf(format).value_or(FormatTraits{});
    bool const vectors = traits.channelsFromEnd > 0 && dims.nbDims >= traits.channelsFromEnd;
    int32_t const channels = vectors ? dims.nbDims - traits.channelsFromEnd : -1;
    Dims strides = dims;
    int64_t step = 1;
    auto const pass = [&](int32_t axis, int64_t extent) {
        strides.d[axis] = step;
        bool const known = step >= 0 && extent >= 0;
        step = known && !__builtin_mul_overflow(step, extent, &step) ? step : -1;
    };
    int64_t const rest =
        channels < 0 || dims.d[channels] < 0
            ? -1
            : dims.d[channels] / traits.vector + (dims.d[channels] % traits.vector != 0 ? 1 : 0);
    if (vectors && !traits.channelsLast) {
        step = traits.vector; // the channels of one vector are adjacent
    }
    if (vectors && traits.channelsLast) {
        pass(channels, rest < 0 ? -1 : rest * traits.vector);
    }
    for (int32_t axis = dims.nbDims - 1; axis >= 0; --axis) {
        if (axis != channels) {
            pass(axis, dims.d[axis]);
        } else if (!traits.channelsLast) {
            pass(axis, rest);
        }
    }
    return strides;
}

} // namespace kiln
