// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/composed/composed_op.h"
#include "kiln/api/network/scale_mode.h"

namespace kiln::graph {

/// (x * scale + shift) ^ power. The coefficients are weights; those of count 0 leave their step
/// out.
class Scale final : public ComposedOp<Scale> {
public:
    static constexpr std::string_view kKind = "Scale";
    static constexpr auto kLayerType = nvinfer1::LayerType::kSCALE;

    nvinfer1::ScaleMode mode = nvinfer1::ScaleMode::kUNIFORM;
    int32_t channelAxis = 1;
    nvinfer1::Weights scale{DataType::kFLOAT, nullptr, 0};
    nvinfer1::Weights shift{DataType::kFLOAT, nullptr, 0};
    nvinfer1::Weights power{DataType::kFLOAT, nullptr, 0};

    std::string problem() const;
    void check(InferContext const& context) const;
    std::vector<WeightSlot> weights(int32_t inputCount) const override;
    std::unique_ptr<Region> parts(InferContext const& context) const override;

private:
    /// The extents of the input that a coefficient has, and 1 elsewhere; -1 where unknown.
    Dims coefficientDims(InferContext const& context) const;
};

} // namespace kiln::graph
