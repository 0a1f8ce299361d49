// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "graph/op_base.h"
#include "kiln/api/network/slice_layer.h"

namespace kiln::graph {

/// Selects the elements start, start + stride, ... along some axes. Start, size, stride, fill value
/// and axes may be operands.
class Slice final : public OpBase<Slice> {
public:
    static constexpr std::string_view kKind = "Slice";
    static constexpr auto kLayerType = nvinfer1::LayerType::kSLICE;

    /// Operands. All but the data may be absent; these numbers or 0 are then used.
    enum Role : int32_t {
        kData = 0,
        kStart = 1,
        kSize = 2,
        kStride = 3,
        kFillValue = 4,
        kAxes = 5
    };

    Dims start{};
    Dims size{};
    Dims stride{};
    Dims axes{-1, {}}; ///< nbDims -1: all axes, in order
    nvinfer1::SampleMode mode = nvinfer1::SampleMode::kSTRICT_BOUNDS;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.start, self.size, self.stride, self.axes, self.mode);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    bool mayBeAbsent(int32_t operand) const override { return operand != kData; }
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

private:
    struct Sliced;
    Sliced slicedAxes(InferContext const& context) const;
    ShapeValues numbers(InferContext const& context, Role role, std::size_t count) const;
    void checkBounds(InferContext const& context, Sliced const& sliced) const;
    void followValues(InferContext& context, Sliced const& sliced) const;
};

/// Maps a coordinate of a slice to an index of the axis. -1: use the fill value, or out of bounds
/// in kSTRICT_BOUNDS. In the other modes the extent must be 1 or more.
int64_t sampleCoordinate(nvinfer1::SampleMode mode, int64_t coordinate, int64_t extent) noexcept;

} // namespace kiln::graph
