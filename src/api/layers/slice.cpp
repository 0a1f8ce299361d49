// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/slice.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Slice;
using nvinfer1::Dims;
using nvinfer1::SampleMode;

class SliceLayer final : public OpLayer<nvinfer1::ISliceLayer, Slice> {
public:
    using OpLayer::OpLayer;

    void setStart(Dims const& start) noexcept override {
        replace("start", Slice::kStart, [&](Slice& op) { op.start = start; });
    }
    Dims getStart() const noexcept override { return shown(Slice::kStart, op().start); }

    void setSize(Dims const& size) noexcept override {
        replace("size", Slice::kSize, [&](Slice& op) { op.size = size; });
    }
    Dims getSize() const noexcept override { return shown(Slice::kSize, op().size); }

    void setStride(Dims const& stride) noexcept override {
        replace("stride", Slice::kStride, [&](Slice& op) { op.stride = stride; });
    }
    Dims getStride() const noexcept override { return shown(Slice::kStride, op().stride); }

    void setAxes(Dims const& axes) noexcept override {
        replace("axes", Slice::kAxes, [&](Slice& op) { op.axes = axes; });
    }
    Dims getAxes() const noexcept override { return shown(Slice::kAxes, op().axes); }

    void setMode(SampleMode mode) noexcept override {
        set("mode", [&](Slice& op) { op.mode = mode; });
    }
    SampleMode getMode() const noexcept override { return op().mode; }

    /// Optional inputs may be set in any order, with gaps.
    void setInput(int32_t index, nvinfer1::ITensor& tensor) noexcept override {
        if (index < Slice::kStart || index > Slice::kAxes) {
            OpLayer::setInput(index, tensor);
            return;
        }
        core().reporter().guard([&] {
            graph::Tensor& source = core().network().unwrap(tensor, core().inputName(index));
            core().network().graph().setNodeInput(core().node(), index, &source);
        });
    }

private:
    /// Sets a constant and removes the operand of the same role.
    template <typename Edit>
    void replace(char const* parameter, Slice::Role role, Edit&& edit) noexcept {
        if (set(parameter, edit) && has(role)) {
            core().network().graph().setNodeInput(core().node(), role, nullptr);
        }
    }
    bool has(Slice::Role role) const noexcept {
        auto const& inputs = core().node().inputs;
        return static_cast<std::size_t>(role) < inputs.size() && inputs[role] != nullptr;
    }

    Dims shown(Slice::Role role, Dims const& constant) const noexcept {
        return has(role) ? Dims{-1, {}} : constant;
    }
};

} // namespace

nvinfer1::ISliceLayer* NetworkDefinition::addSlice(nvinfer1::ITensor& input, Dims const& start,
                                                   Dims const& size, Dims const& stride) noexcept {
    Slice op;
    op.start = start;
    op.size = size;
    op.stride = stride;
    return addOpLayer<SliceLayer>(*this, "slice layer", op, {&input});
}

} // namespace kiln::api
