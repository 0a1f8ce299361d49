// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/fill.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Fill;
using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::FillOperation;

class FillLayer final : public OpLayer<nvinfer1::IFillLayer, Fill> {
public:
    using OpLayer::OpLayer;

    void setDimensions(Dims const& dimensions) noexcept override {
        replace("dimensions", Fill::kExtents, [&](Fill& op) { op.dims = dimensions; });
    }
    Dims getDimensions() const noexcept override {
        return has(Fill::kExtents) ? Dims{-1, {}} : op().dims;
    }

    void setOperation(FillOperation operation) noexcept override {
        set("operation", [&](Fill& op) { op.operation = operation; });
    }
    FillOperation getOperation() const noexcept override { return op().operation; }

    void setAlpha(double alpha) noexcept override {
        replace("alpha", Fill::kAlpha, [&](Fill& op) {
            op.alpha = alpha;
            op.isWhole = false;
        });
    }
    double getAlpha() const noexcept override { return op().alpha; }
    void setBeta(double beta) noexcept override {
        replace("beta", Fill::kBeta, [&](Fill& op) {
            op.beta = beta;
            op.isWhole = false;
        });
    }
    double getBeta() const noexcept override { return op().beta; }

    void setAlphaInt64(int64_t alpha) noexcept override {
        replace("alpha", Fill::kAlpha, [&](Fill& op) {
            op.wholeAlpha = alpha;
            op.isWhole = true;
        });
    }
    int64_t getAlphaInt64() const noexcept override { return op().wholeAlpha; }
    void setBetaInt64(int64_t beta) noexcept override {
        replace("beta", Fill::kBeta, [&](Fill& op) {
            op.wholeBeta = beta;
            op.isWhole = true;
        });
    }
    int64_t getBetaInt64() const noexcept override { return op().wholeBeta; }
    bool isAlphaBetaInt64() const noexcept override { return op().isWhole; }

    void setToType(DataType toType) noexcept override {
        set("output type", [&](Fill& op) { op.type = toType; });
    }
    DataType getToType() const noexcept override { return op().type; }

    /// Inputs may be set in any order, with gaps.
    void setInput(int32_t index, nvinfer1::ITensor& tensor) noexcept override {
        if (index < Fill::kExtents || index > Fill::kBeta) {
            core().reject("input", "expected a number from 0 to 2, got {}.", index);
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
    void replace(char const* parameter, Fill::Role role, Edit&& edit) noexcept {
        if (set(parameter, edit) && has(role)) {
            core().network().graph().setNodeInput(core().node(), role, nullptr);
        }
    }
    bool has(Fill::Role role) const noexcept {
        auto const& inputs = core().node().inputs;
        return static_cast<std::size_t>(role) < inputs.size() && inputs[role] != nullptr;
    }
};

} // namespace

nvinfer1::IFillLayer* NetworkDefinition::addFill(Dims const& dimensions,
                                                 FillOperation operation) noexcept {
    return addFill(dimensions, operation, DataType::kFLOAT);
}

nvinfer1::IFillLayer* NetworkDefinition::addFill(Dims const& dimensions, FillOperation operation,
                                                 DataType outputType) noexcept {
    Fill op;
    op.dims = dimensions;
    op.operation = operation;
    op.type = outputType;
    op.seed =
        static_cast<uint64_t>(getNbLayers()); // other numbers for each layer, alike in each build
    return addOpLayer<FillLayer>(*this, "fill layer", op, {});
}

} // namespace kiln::api
