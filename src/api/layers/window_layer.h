// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/layers/op_layer.h"
#include "graph/window.h"

namespace kiln::api {

/// The setters that convolution and pooling layers share. OpType has a member `window`.
template <typename Interface, typename OpType>
class WindowLayer : public OpLayer<Interface, OpType> {
public:
    using OpLayer<Interface, OpType>::OpLayer;

    void setPrePadding(Dims const& padding) noexcept override {
        setWindow("padding before", [&](graph::Window& window) { window.prePadding = padding; });
    }
    Dims getPrePadding() const noexcept override { return window().prePadding; }

    void setPostPadding(Dims const& padding) noexcept override {
        setWindow("padding after", [&](graph::Window& window) { window.postPadding = padding; });
    }
    Dims getPostPadding() const noexcept override { return window().postPadding; }

    void setPaddingMode(nvinfer1::PaddingMode paddingMode) noexcept override {
        setWindow("padding mode", [&](graph::Window& window) { window.paddingMode = paddingMode; });
    }
    nvinfer1::PaddingMode getPaddingMode() const noexcept override { return window().paddingMode; }

    void setStrideNd(Dims const& stride) noexcept override {
        setWindow("stride", [&](graph::Window& window) { window.stride = stride; });
    }
    Dims getStrideNd() const noexcept override { return window().stride; }

    void setPaddingNd(Dims const& padding) noexcept override {
        setWindow("padding", [&](graph::Window& window) {
            window.prePadding = padding;
            window.postPadding = padding;
        });
    }
    Dims getPaddingNd() const noexcept override {
        this->core().reporter().guard([&] {
            if (!sameDims(window().prePadding, window().postPadding)) {
                this->core().reject("padding",
                                    "expected equal padding before and after, got {} and {}. Read "
                                    "the two one by one.",
                                    toText(window().prePadding), toText(window().postPadding));
            }
        });
        return window().prePadding;
    }

protected:
    graph::Window const& window() const noexcept { return this->op().window; }

    template <typename Edit>
    void setWindow(char const* parameter, Edit&& edit) noexcept {
        this->set(parameter, [&](OpType& op) { edit(op.window); });
    }
};

} // namespace kiln::api
