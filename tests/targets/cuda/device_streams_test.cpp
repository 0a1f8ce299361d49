// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/gpu_fixture.h"
#include "targets/cuda/module.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using target::Capture;
using target::CopyKind;
using testing::ElementsAre;
using testing::HasSubstr;

class GpuStreams : public test::GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (!IsSkipped()) {
            stream_ = cuda_.createStream();
        }
    }
    void TearDown() override {
        if (stream_ != nullptr) {
            cuda_.destroyStream(stream_);
        }
        GpuTest::TearDown();
    }

    void copy(test::GpuNumbers const& to, test::GpuNumbers const& from,
              target::StreamHandle stream) {
        cuda_.copy(to.address(), from.address(), 8, CopyKind::kDeviceToDevice, stream);
    }

    target::StreamHandle stream_ = nullptr;
};

TEST_F(GpuStreams, FollowEachOtherByEvents) {
    test::GpuNumbers const first(cuda_, {1, 2});
    test::GpuNumbers const second(cuda_, {0, 0});
    test::GpuNumbers const third(cuda_, {0, 0});
    target::StreamHandle const other = cuda_.createStream();
    target::EventHandle const start = cuda_.createEvent();
    target::EventHandle const copied = cuda_.createEvent();
    cuda_.record(start, stream_);
    copy(second, first, stream_);
    cuda_.record(copied, stream_);
    cuda_.wait(other, copied);
    copy(third, second, other);
    EXPECT_THAT(third.read(other), ElementsAre(1, 2));
    cuda_.synchronizeEvent(copied);
    EXPECT_GE(cuda_.elapsedMs(start, copied), 0.0F);
    cuda_.destroyEvent(start);
    cuda_.destroyEvent(copied);
    cuda_.destroyStream(other);
}

TEST_F(GpuStreams, AreRecordedIntoGraphs) {
    test::GpuNumbers const from(cuda_, {1, 2});
    test::GpuNumbers const to(cuda_, {0, 0});
    EXPECT_EQ(cuda_.capture(stream_), Capture::kNone);
    EXPECT_EQ(cuda_.knownFailure(stream_), "");
    cuda_.beginCapture(stream_);
    EXPECT_EQ(cuda_.capture(stream_), Capture::kActive);
    copy(to, from, stream_);
    target::GraphHandle const graph = cuda_.endCapture(stream_);
    EXPECT_EQ(cuda_.capture(stream_), Capture::kNone);
    EXPECT_THAT(to.read(stream_), ElementsAre(0, 0));
    cuda_.launchGraph(graph, stream_);
    EXPECT_THAT(to.read(stream_), ElementsAre(1, 2));
    cuda_.destroyGraph(graph);
}

TEST_F(GpuStreams, SayWhatEndedARecording) {
    cuda_.beginCapture(stream_);
    EXPECT_THAT(errorOf(ErrorKind::kDevice, [&] { cuda_.synchronize(stream_); }),
                HasSubstr("[cuda] wait for a stream: expected success, got "
                          "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"));
    EXPECT_EQ(cuda_.capture(stream_), Capture::kInvalidated);
    EXPECT_THAT(errorOf(ErrorKind::kDevice, [&] { cuda_.endCapture(stream_); }),
                HasSubstr("[cuda] end the recording of a graph: expected success, got "
                          "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"));
    EXPECT_EQ(cuda_.capture(stream_), Capture::kNone);
}

TEST_F(GpuStreams, ARecordingIsNoFailure) {
    cuda_.beginCapture(stream_);
    EXPECT_EQ(cuda_.knownFailure(stream_), "");
    EXPECT_THAT(errorOf(ErrorKind::kDevice, [&] { cuda_.endCapture(stream_); }),
                HasSubstr("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED")); // the query invalidates it
}

class GpuStreamFailures : public test::EmulatedGpuTest {};

TEST_F(GpuStreamFailures, AreToldInTheDriversWords) {
    auto const refused = [&](char const* function, char const* words, auto const& action) {
        failCall(function, CUDA_ERROR_INVALID_VALUE);
        EXPECT_THAT(errorOf(ErrorKind::kDevice, action), HasSubstr(words));
    };
    target::StreamHandle const stream = cuda_.createStream();
    target::EventHandle const event = cuda_.createEvent();
    refused("cuStreamCreate", "[cuda] create a stream: ", [&] { cuda_.createStream(); });
    refused("cuEventCreate", "[cuda] create an event: ", [&] { cuda_.createEvent(); });
    refused("cuStreamSynchronize",
            "[cuda] wait for a stream: ", [&] { cuda_.synchronize(stream); });
    refused("cuEventRecord", "[cuda] record an event: ", [&] { cuda_.record(event, stream); });
    refused("cuEventSynchronize",
            "[cuda] wait for an event: ", [&] { cuda_.synchronizeEvent(event); });
    refused("cuStreamWaitEvent",
            "[cuda] make a stream wait for an event: ", [&] { cuda_.wait(stream, event); });
    refused("cuEventElapsedTime",
            "[cuda] ask for the time between two events: ", [&] { cuda_.elapsedMs(event, event); });
    refused("cuStreamBeginCapture_v2",
            "[cuda] begin to record a graph: ", [&] { cuda_.beginCapture(stream); });
    cuda_.beginCapture(stream);
    refused("cuGraphInstantiateWithFlags",
            "[cuda] make a graph executable: ", [&] { cuda_.endCapture(stream); });
    refused("cuGraphLaunch",
            "[cuda] launch a graph: ", [&] { cuda_.launchGraph(nullptr, stream); });
    cuda_.destroyEvent(event);
    cuda_.destroyStream(stream);
}

TEST_F(GpuStreamFailures, OfAKernelShowAtTheNextWait) {
    Module const module(test::compiled("extern \"C\" __global__ void nothing() {}\n"));
    target::StreamHandle const stream = cuda_.createStream();
    void* const memory = cuda_.allocate(1, 1, "a test");
    CUfunction const function = module.function("nothing");
    faultNextKernel();
    EXPECT_EQ(
        Driver::instance().launchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr),
        CUDA_SUCCESS);
    EXPECT_THAT(errorOf(ErrorKind::kDevice, [&] { cuda_.synchronize(stream); }),
                HasSubstr("[cuda] wait for a stream: a kernel that ran before failed with "
                          "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered). "
                          "The process cannot use the GPU any more; run it again with "
                          "KILN_SYNC=1"));
    EXPECT_THAT(cuda_.knownFailure(stream), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    EXPECT_THAT(errorOf(ErrorKind::kDevice, [&] { cuda_.allocate(1, 1, "a test"); }),
                HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    cuda_.release(memory); // nothing is thrown while the device is lost
    cuda_.destroyStream(stream);
}

} // namespace
} // namespace kiln::targets::cuda
