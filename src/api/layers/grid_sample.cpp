// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/grid_sample.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::GridSample;

class GridSampleLayer final : public OpLayer<nvinfer1::IGridSampleLayer, GridSample> {
public:
    using OpLayer::OpLayer;

    void setInterpolationMode(nvinfer1::InterpolationMode mode) noexcept override {
        set("interpolation mode", [&](GridSample& op) { op.interpolation = mode; });
    }
    nvinfer1::InterpolationMode getInterpolationMode() const noexcept override {
        return op().interpolation;
    }

    void setAlignCorners(bool alignCorners) noexcept override {
        set("alignment", [&](GridSample& op) { op.alignCorners = alignCorners; });
    }
    bool getAlignCorners() const noexcept override { return op().alignCorners; }

    bool setSampleMode(nvinfer1::SampleMode mode) noexcept override {
        return set("sample mode", [&](GridSample& op) { op.mode = mode; });
    }
    nvinfer1::SampleMode getSampleMode() const noexcept override { return op().mode; }
};

} // namespace

nvinfer1::IGridSampleLayer* NetworkDefinition::addGridSample(nvinfer1::ITensor& input,
                                                             nvinfer1::ITensor& grid) noexcept {
    return addOpLayer<GridSampleLayer>(*this, "grid sample layer", GridSample{}, {&input, &grid});
}

} // namespace kiln::api
