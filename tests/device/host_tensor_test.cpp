// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors in host memory, on a target whose kernels cannot read it.
#include <thread>

#include <gmock/gmock.h>

#include "device/device_session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::ElementsAre;
using testing::HasSubstr;

class HostTensor : public OnDevice {};

TEST_F(HostTensor, ValuesAreBroughtToKernelsThatReadThem) {
    ITensor& x = session->input("x", {-1, 3});
    session->range("x", {1, 3}, {2, 3}, {4, 3});
    ITensor& shape = *session->network->addShape(x)->getOutput(0);
    session->output(shape, "y"); // an ordinary output: on the device
    open();
    EXPECT_EQ(running->engine->getTensorLocation("y"), TensorLocation::kDEVICE);
    DeviceArray<float> const in(std::vector<float>(12));
    DeviceArray<int64_t> const out({0, 0});
    bind("x", in.data());
    bind("y", out.data());
    for (int64_t const rows : {2, 4, 4}) {
        ASSERT_TRUE(context().setInputShape("x", Dims2{rows, 3}));
        ASSERT_TRUE(context().enqueueV3(stream)) << errors();
        device.synchronize(stream);
        EXPECT_THAT(out.values(), ElementsAre(rows, 3));
    }
}

TEST_F(HostTensor, ShapeOutputsAreWrittenOnTheHost) {
    ITensor& x = session->input("x", {-1, 3});
    session->range("x", {1, 3}, {2, 3}, {4, 3});
    ITensor& shape = *session->network->addShape(x)->getOutput(0);
    shape.setName("s");
    ASSERT_TRUE(session->network->markOutputForShapes(shape)) << errors();
    session->output(*session->network->addActivation(x, ActivationType::kRELU)->getOutput(0), "y");
    open();
    EXPECT_EQ(running->engine->getTensorLocation("s"), TensorLocation::kHOST);
    DeviceArray<float> const in({-1, 2, -3, 4, -5, 6});
    DeviceArray<float> const out(std::vector<float>(6));
    std::vector<int64_t> values(2);
    bind("x", in.data());
    bind("y", out.data());
    bind("s", values.data());
    ASSERT_TRUE(context().setInputShape("x", Dims2{2, 3}));
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    EXPECT_THAT(values, ElementsAre(2, 3)); // written before the call returns
    device.synchronize(stream);
    EXPECT_THAT(out.values(), ElementsAre(0, 2, 0, 4, 0, 6));
}

/// y = the first s elements of x; t = s, as kernels read it on the device.
class ShapeInput : public OnDevice {
protected:
    void SetUp() override {
        ITensor& x = session->input("x", {8});
        ITensor& s = session->input("s", {1}, DataType::kINT64);
        ISliceLayer* const slice = session->network->addSlice(x, dims({0}), dims({1}), dims({1}));
        slice->setInput(2, s);
        session->output(*slice->getOutput(0), "y");
        session->output(*session->network->addCast(s, DataType::kINT32)->getOutput(0), "t");
        std::vector<int64_t> const range[]{{1}, {3}, {8}};
        ASSERT_TRUE(
            session->profile().setShapeValuesV2("s", OptProfileSelector::kMIN, range[0].data(), 1));
        ASSERT_TRUE(
            session->profile().setShapeValuesV2("s", OptProfileSelector::kOPT, range[1].data(), 1));
        ASSERT_TRUE(
            session->profile().setShapeValuesV2("s", OptProfileSelector::kMAX, range[2].data(), 1));
        open();
        bind("x", in.data());
        bind("y", out.data());
        bind("t", copy.data());
    }
    DeviceArray<float> in{{1, 2, 3, 4, 5, 6, 7, 8}};
    DeviceArray<float> out{std::vector<float>(8)};
    DeviceArray<int32_t> copy{{0}};
};

TEST_F(ShapeInput, IsReadOnTheHostAndStagedForKernels) {
    EXPECT_EQ(running->engine->getTensorLocation("s"), TensorLocation::kHOST);
    std::vector<int64_t> values{2};
    bind("s", values.data());
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    values[0] = 8; // safe: the run has copied the value
    device.synchronize(stream);
    EXPECT_THAT(out.values(), ElementsAre(1, 2, 0, 0, 0, 0, 0, 0));
    EXPECT_THAT(copy.values(), ElementsAre(2));
    ASSERT_TRUE(context().enqueueV3(stream)) << errors();
    device.synchronize(stream);
    EXPECT_THAT(out.values(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_THAT(copy.values(), ElementsAre(8));
}

TEST_F(ShapeInput, AddressIsCheckedForWhoReadsIt) {
    EXPECT_FALSE(context().setTensorAddress("s", in.data()));
    EXPECT_THAT(errors(), HasSubstr("[run] tensor 's', address"));
    EXPECT_FALSE(context().setTensorAddress("s", in.data()));
    EXPECT_THAT(errors(), HasSubstr("expected host memory, got memory of the device"));
    std::vector<float> host(8);
    EXPECT_FALSE(context().setTensorAddress("x", host.data()));
    EXPECT_THAT(errors(), HasSubstr("expected memory of the device, got host memory"));
    int const before = device.asked;
    bind("x", in.data()); // unchanged
    EXPECT_EQ(device.asked, before);
}

TEST_F(HostTensor, RunsFromAThreadThatNeverSawTheDevice) {
    ITensor& x = session->input("x", {2});
    session->output(*session->network->addActivation(x, ActivationType::kRELU)->getOutput(0), "y");
    open();
    DeviceArray<float> const in({-1, 2});
    DeviceArray<float> const out({7, 7});
    bind("x", in.data());
    bind("y", out.data());
    ASSERT_TRUE(context().enqueueV3(stream)); // resolves shapes; the next run takes the fast path
    bool ran = false;
    std::thread([&] { ran = context().enqueueV3(stream); }).join();
    EXPECT_TRUE(ran) << errors();
    EXPECT_THAT(out.values(), ElementsAre(7, 7)); // nothing has waited yet
    device.synchronize(stream);
    EXPECT_THAT(out.values(), ElementsAre(0, 2));
}

} // namespace
} // namespace kiln::test
