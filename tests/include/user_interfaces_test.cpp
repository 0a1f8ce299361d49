// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The other interfaces that users implement, each with its required methods only, and the defaults
// of the optional methods.

#include "NvInfer.h"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace nvinfer1;

class Allocator : public IGpuAllocator {
public:
    void* allocate(uint64_t, uint64_t, AllocatorFlags) noexcept override { return &block_; }
    bool deallocate(void* memory) noexcept override { return memory == &block_; }

private:
    int block_{};
};

class AsyncAllocator : public IGpuAsyncAllocator {
public:
    void* allocateAsync(uint64_t, uint64_t, AllocatorFlags, cudaStream_t) noexcept override {
        return &block_;
    }
    bool deallocateAsync(void* memory, cudaStream_t) noexcept override { return memory == &block_; }

private:
    int block_{};
};

class OutputAllocator : public IOutputAllocator {
public:
    void* reallocateOutput(char const*, void* memory, uint64_t, uint64_t) noexcept override {
        return memory;
    }
    void notifyShape(char const*, Dims const&) noexcept override {}
};

class Logger : public ILogger {
    void log(Severity, char const*) noexcept override {}
};

class Profiler : public IProfiler {
    void reportLayerTime(char const*, float) noexcept override {}
};

class Listener : public IDebugListener {
    bool processDebugTensor(void const*, TensorLocation, DataType, Dims const&, char const*,
                            cudaStream_t) override {
        return true;
    }
};

class Reader : public IStreamReader {
    int64_t read(void*, int64_t) override { return 0; }
};

class ReaderV2 : public IStreamReaderV2 {
    int64_t read(void*, int64_t, cudaStream_t) noexcept override { return 0; }
    bool seek(int64_t, SeekPosition) noexcept override { return false; }
};

class Writer : public IStreamWriter {
    int64_t write(void const*, int64_t count) override { return count; }
};

class Resource : public IPluginResource {
    int32_t release() noexcept override { return 0; }
    IPluginResource* clone() noexcept override { return new Resource(*this); }
};

class Recorder : public IErrorRecorder {
    int32_t getNbErrors() const noexcept override { return 0; }
    ErrorCode getErrorCode(int32_t) const noexcept override { return ErrorCode::kSUCCESS; }
    ErrorDesc getErrorDesc(int32_t) const noexcept override { return ""; }
    bool hasOverflowed() const noexcept override { return false; }
    void clear() noexcept override {}
    bool reportError(ErrorCode, ErrorDesc) noexcept override { return false; }
    RefCount incRefCount() noexcept override { return 1; }
    RefCount decRefCount() noexcept override { return 0; }
};

std::string kindOf(IVersionedInterface const& object) {
    return object.getInterfaceInfo().kind;
}

TEST(UserInterfaces, TellTheirKind) {
    EXPECT_EQ(kindOf(Listener{}), "IDebugListener");
    EXPECT_EQ(kindOf(Reader{}), "IStreamReader");
    EXPECT_EQ(kindOf(ReaderV2{}), "IStreamReaderV2");
    EXPECT_EQ(kindOf(Writer{}), "IStreamWriter");
    EXPECT_EQ(kindOf(Resource{}), "IPluginResource");
    EXPECT_EQ(kindOf(Recorder{}), "IErrorRecorder");
    Logger logger;
    Profiler profiler;
    static_cast<ILogger&>(logger).log(ILogger::Severity::kINFO, "");
    static_cast<IProfiler&>(profiler).reportLayerTime("", 0.0F);
}

TEST(UserInterfaces, StreamMethodsOfAllocatorsFallBack) {
    Allocator allocator;
    void* block = allocator.allocateAsync(16, 0, 0, nullptr);
    EXPECT_TRUE(allocator.deallocateAsync(block, nullptr));
    EXPECT_EQ(allocator.reallocate(block, 16, 32), nullptr);

    AsyncAllocator async;
    IGpuAllocator& base = async;
    EXPECT_TRUE(base.deallocateAsync(base.allocateAsync(16, 0, 0, nullptr), nullptr));

    OutputAllocator output;
    EXPECT_EQ(output.reallocateOutputAsync("", &output, 1, 1, nullptr), &output);
}

TEST(UserInterfaces, LegacyDimsClearTheRest) {
    Dims4 const shape{1, 2, 3, 4};
    EXPECT_EQ(shape.nbDims, 4);
    for (int32_t i = 4; i < Dims::MAX_DIMS; ++i) {
        EXPECT_EQ(shape.d[i], 0);
    }
    DimsHW size{5, 6};
    size.h() = 7;
    EXPECT_EQ(size.d[0], 7);
    EXPECT_EQ(size.w(), 6);
}

} // namespace
