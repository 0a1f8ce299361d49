// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/shuffle.h"

#include <algorithm>

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Shuffle;
using nvinfer1::Permutation;

Shuffle::Order orderOf(Permutation const& permutation) {
    Shuffle::Order order{};
    std::copy(std::begin(permutation.order), std::end(permutation.order), order.begin());
    return order;
}

Permutation permutationOf(Shuffle::Order const& order) {
    Permutation permutation{};
    std::copy(order.begin(), order.end(), permutation.order);
    return permutation;
}

class ShuffleLayer final : public OpLayer<nvinfer1::IShuffleLayer, Shuffle> {
public:
    using OpLayer::OpLayer;

    void setFirstTranspose(Permutation permutation) noexcept override {
        set("first transpose", [&](Shuffle& op) { op.firstTranspose = orderOf(permutation); });
    }
    Permutation getFirstTranspose() const noexcept override {
        return permutationOf(op().firstTranspose);
    }

    void setReshapeDimensions(nvinfer1::Dims const& dimensions) noexcept override {
        set("reshape dimensions", [&](Shuffle& op) { op.reshape = dimensions; });
        if (takesDimensions()) {
            core().network().graph().setNodeInput(core().node(), 1, nullptr);
        }
    }
    nvinfer1::Dims getReshapeDimensions() const noexcept override {
        return takesDimensions() ? nvinfer1::Dims{-1, {}} : op().reshape;
    }

    void setSecondTranspose(Permutation permutation) noexcept override {
        set("second transpose", [&](Shuffle& op) { op.secondTranspose = orderOf(permutation); });
    }
    Permutation getSecondTranspose() const noexcept override {
        return permutationOf(op().secondTranspose);
    }

    void setZeroIsPlaceholder(bool zeroIsPlaceholder) noexcept override {
        set("zero is placeholder", [&](Shuffle& op) { op.zeroIsPlaceholder = zeroIsPlaceholder; });
    }
    bool getZeroIsPlaceholder() const noexcept override { return op().zeroIsPlaceholder; }

private:
    /// Whether input 1 gives the reshape dimensions.
    bool takesDimensions() const noexcept { return getInput(1) != nullptr; }
};

} // namespace

nvinfer1::IShuffleLayer* NetworkDefinition::addShuffle(nvinfer1::ITensor& input) noexcept {
    return addOpLayer<ShuffleLayer>(*this, "shuffle layer", Shuffle{}, {&input});
}

} // namespace kiln::api
