// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/boundary/loop.h"

#include "api/layers/block.h"

namespace kiln::api {
namespace {

template <typename Interface, typename OpType>
class LoopLayer : public BorderLayer<Interface, OpType, nvinfer1::ILoop> {
public:
    using BorderLayer<Interface, OpType, nvinfer1::ILoop>::BorderLayer;

    nvinfer1::ILoop* getLoop() const noexcept override { return this->block; }
};

using RecurrenceLayer = LoopLayer<nvinfer1::IRecurrenceLayer, graph::Recurrence>;

class TripLimitLayer final : public LoopLayer<nvinfer1::ITripLimitLayer, graph::TripLimit> {
public:
    using LoopLayer::LoopLayer;

    nvinfer1::TripLimit getTripLimit() const noexcept override { return op().limit; }
};

class IteratorLayer final : public LoopLayer<nvinfer1::IIteratorLayer, graph::Iterator> {
public:
    using LoopLayer::LoopLayer;

    void setAxis(int32_t axis) noexcept override {
        set("axis", [&](graph::Iterator& op) { op.axis = axis; });
    }
    int32_t getAxis() const noexcept override { return op().axis; }
    void setReverse(bool reverse) noexcept override {
        change([&](graph::Iterator& op) { op.reverse = reverse; });
    }
    bool getReverse() const noexcept override { return op().reverse; }
};

class LoopOutputLayer final : public LoopLayer<nvinfer1::ILoopOutputLayer, graph::LoopOutput> {
public:
    using LoopLayer::LoopLayer;

    nvinfer1::LoopOutput getLoopOutput() const noexcept override { return op().output; }
    void setAxis(int32_t axis) noexcept override {
        set("axis", [&](graph::LoopOutput& op) { op.axis = axis; });
    }
    int32_t getAxis() const noexcept override { return op().axis; }
};

class Loop final : public BlockBase<nvinfer1::ILoop> {
public:
    using BlockBase::BlockBase;

    nvinfer1::IRecurrenceLayer* addRecurrence(nvinfer1::ITensor& initialValue) noexcept override {
        return add<RecurrenceLayer>("recurrence layer", graph::Recurrence(), {&initialValue});
    }
    nvinfer1::ITripLimitLayer* addTripLimit(nvinfer1::ITensor& tensor,
                                            nvinfer1::TripLimit limit) noexcept override;
    nvinfer1::IIteratorLayer* addIterator(nvinfer1::ITensor& tensor, int32_t axis,
                                          bool reverse) noexcept override {
        graph::Iterator op;
        op.axis = axis;
        op.reverse = reverse;
        return add<IteratorLayer>("iterator layer", op, {&tensor});
    }
    nvinfer1::ILoopOutputLayer* addLoopOutput(nvinfer1::ITensor& tensor,
                                              nvinfer1::LoopOutput outputKind,
                                              int32_t axis) noexcept override {
        graph::LoopOutput op;
        op.output = outputKind;
        op.axis = axis;
        return add<LoopOutputLayer>("loop output layer", op, {&tensor});
    }

private:
    uint32_t limits_ = 0; ///< bit mask of TripLimit
};

nvinfer1::ITripLimitLayer* Loop::addTripLimit(nvinfer1::ITensor& tensor,
                                              nvinfer1::TripLimit limit) noexcept {
    return network().reporter().guard<nvinfer1::ITripLimitLayer*>(
        nullptr, [&]() -> nvinfer1::ITripLimitLayer* {
            graph::TripLimit op;
            op.limit = limit;
            bool const known = op.problem().empty();
            uint32_t const bit = known ? 1U << static_cast<uint32_t>(limit) : 0;
            if ((limits_ & bit) != 0) {
                fail(ErrorKind::kInvalidArgument,
                     "[network] loop '{}': expected at most one trip limit of each kind, got a "
                     "second one. Combine the two tensors.",
                     getName());
            }
            auto* const layer = add<TripLimitLayer>("trip limit layer", op, {&tensor});
            limits_ |= layer == nullptr ? 0 : bit;
            return layer;
        });
}

} // namespace

nvinfer1::ILoop* NetworkDefinition::addLoop() noexcept {
    return addBlock<Loop>();
}

} // namespace kiln::api
