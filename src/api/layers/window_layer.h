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
        setWindow("setPrePadding", [&](graph::Window& window) { window.prePadding = padding; });
    }
    Dims getPrePadding() const noexcept override { return window().prePadding; }

    void setPostPadding(Dims const& padding) noexcept override {
        setWindow("setPostPadding", [&](graph::Window& window) { window.postPadding = padding; });
    }
    Dims getPostPadding() const noexcept override { return window().postPadding; }

    void setPaddingMode(nvinfer1::PaddingMode paddingMode) noexcept override {
        setWindow("setPaddingMode",
                  [&](graph::Window& window) { window.paddingMode = paddingMode; });
    }
    nvinfer1::PaddingMode getPaddingMode() const noexcept override { return window().paddingMode; }

    void setStrideNd(Dims const& stride) noexcept override {
        setWindow("setStrideNd", [&](graph::Window& window) { window.stride = stride; });
    }
    Dims getStrideNd() const noexcept override { return window().stride; }

    void setPaddingNd(Dims const& padding) noexcept override {
        setWindow("setPaddingNd", [&](graph::Window& window) {
            window.prePadding = padding;
            window.postPadding = padding;
        });
    }
    Dims getPaddingNd() const noexcept override {
        this->core().reporter().guard([&] {
            if (!sameDims(window().prePadding, window().postPadding)) {
                this->core().reject("getPaddingNd",
                                    "expected equal padding before and after, got {} and {}. Use "
                                    "getPrePadding and getPostPadding.",
                                    toText(window().prePadding), toText(window().postPadding));
            }
        });
        return window().prePadding;
    }

protected:
    graph::Window const& window() const noexcept { return this->op().window; }

    template <typename Edit>
    void setWindow(char const* call, Edit&& edit) noexcept {
        this->set(call, [&](OpType& op) { edit(op.window); });
    }
};

} // namespace kiln::api
