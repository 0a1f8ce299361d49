// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/resize.h"

#include <algorithm>

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Resize;
using nvinfer1::Dims;

class ResizeLayer final : public OpLayer<nvinfer1::IResizeLayer, Resize> {
public:
    using OpLayer::OpLayer;

    void setOutputDimensions(Dims const& dimensions) noexcept override {
        bool const changed = set("output dimensions", [&](Resize& op) {
            op.dims = dimensions;
            op.scaleCount = -1;
        });
        if (changed) {
            dropExtents();
        }
    }
    Dims getOutputDimensions() const noexcept override {
        return hasExtents() ? Dims{-1, {}} : op().dims;
    }

    void setScales(float const* scales, int32_t nbScales) noexcept override {
        if (nbScales < 0 || (scales == nullptr && nbScales > 0)) {
            core().reject("scales", "expected one number for each axis, got {}{}.", nbScales,
                          scales == nullptr ? " at a null pointer" : "");
            return;
        }
        bool const changed = set("scales", [&](Resize& op) {
            op.dims = Dims{-1, {}};
            op.scaleCount = nbScales;
            op.scales = {};
            std::copy_n(scales, std::clamp<int32_t>(nbScales, 0, Dims::MAX_DIMS),
                        op.scales.begin());
        });
        if (changed) {
            dropExtents();
        }
    }
    int32_t getScales(int32_t size, float* scales) const noexcept override {
        int32_t const count = hasExtents() ? -1 : op().scaleCount;
        if (scales != nullptr && count >= 0 && size == count) {
            std::copy_n(op().scales.begin(), count, scales);
        }
        return count;
    }

    void setResizeMode(nvinfer1::InterpolationMode interpolationMode) noexcept override {
        set("resize mode", [&](Resize& op) { op.mode = interpolationMode; });
    }
    nvinfer1::InterpolationMode getResizeMode() const noexcept override { return op().mode; }

    void setCoordinateTransformation(
        nvinfer1::ResizeCoordinateTransformation coordTransform) noexcept override {
        set("coordinate transformation", [&](Resize& op) { op.transformation = coordTransform; });
    }
    nvinfer1::ResizeCoordinateTransformation getCoordinateTransformation() const noexcept override {
        return op().transformation;
    }

    void setSelectorForSinglePixel(nvinfer1::ResizeSelector selector) noexcept override {
        set("selector", [&](Resize& op) { op.selector = selector; });
    }
    nvinfer1::ResizeSelector getSelectorForSinglePixel() const noexcept override {
        return op().selector;
    }

    void setNearestRounding(nvinfer1::ResizeRoundMode value) noexcept override {
        set("rounding", [&](Resize& op) { op.rounding = value; });
    }
    nvinfer1::ResizeRoundMode getNearestRounding() const noexcept override { return op().rounding; }

    void setCubicCoeff(float A) noexcept override {
        set("cubic coefficient", [&](Resize& op) { op.cubic = A; });
    }
    float getCubicCoeff() const noexcept override { return op().cubic; }

    void setExcludeOutside(bool excludeFlag) noexcept override {
        set("exclusion of samples outside", [&](Resize& op) { op.excludesOutside = excludeFlag; });
    }
    bool getExcludeOutside() const noexcept override { return op().excludesOutside; }

    /// A tensor of extents replaces dimensions and scales.
    void setInput(int32_t index, nvinfer1::ITensor& tensor) noexcept override {
        OpLayer::setInput(index, tensor);
        if (index == Resize::kExtents && hasExtents()) {
            change([](Resize& op) {
                op.dims = Dims{-1, {}};
                op.scaleCount = -1;
            });
        }
    }

private:
    bool hasExtents() const noexcept {
        auto const& inputs = core().node().inputs;
        return inputs.size() > 1 && inputs[Resize::kExtents] != nullptr;
    }
    void dropExtents() noexcept {
        if (hasExtents()) {
            core().reporter().guard([&] {
                core().network().graph().setNodeInput(core().node(), Resize::kExtents, nullptr);
            });
        }
    }
};

} // namespace

nvinfer1::IResizeLayer* NetworkDefinition::addResize(nvinfer1::ITensor& input) noexcept {
    return addOpLayer<ResizeLayer>(*this, "resize layer", Resize{}, {&input});
}

} // namespace kiln::api
