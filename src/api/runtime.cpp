// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/runtime.h"

#include "api/plan_libraries.h"
#include "api/python_source.h"
#include "base/text.h"

namespace kiln::api {
namespace {

constexpr int64_t kReadChunk = int64_t{1} << 20;

} // namespace

void checkCaller(char const* what, void* logger, int32_t version) {
    if (logger == nullptr) {
        fail(ErrorKind::kInvalidArgument,
             "[kiln] {}: expected a logger, got null. Pass an ILogger.", what);
    }
    if (version / 10000 != NV_TENSORRT_VERSION / 10000) {
        fail(ErrorKind::kUnsupported,
             "[kiln] {}: the program was compiled against headers of version {}, the library is "
             "version {}. Compile it against this library's headers.",
             what, version, NV_TENSORRT_VERSION);
    }
}

Runtime::Runtime(nvinfer1::ILogger& logger)
    : reporter_(Log(&logger)), lease_(&logger), registry_(reporter_.log()),
      tempfileFlags_((1U << nvinfer1::EnumMax<nvinfer1::TempfileControlFlag>()) - 1U),
      pythonSourceAllowed_(sourceAllowedByDefault()) {
    temporaryDirectory_ = defaultTemporaryDirectory();
}

nvinfer1::ICudaEngine* Runtime::open(std::shared_ptr<runtime::PlanBytes const> bytes) {
    using nvinfer1::TempfileControlFlag;
    auto const may = [&](TempfileControlFlag flag) {
        return (tempfileFlags_ >> static_cast<uint32_t>(flag) & 1U) != 0;
    };
    runtime::HostCode const hostCode{hostCodeAllowed_,
                                     {may(TempfileControlFlag::kALLOW_IN_MEMORY_FILES),
                                      may(TempfileControlFlag::kALLOW_TEMPORARY_FILES),
                                      temporaryDirectory_}};
    plugin::LateReports const late(reporter_.lateSink());
    return makeEngine(std::move(bytes), reporter_.log(), allocator_, reporter_.recorder(),
                      creatorsFor(registry_, hostCode.ways, pythonSourceAllowed_, reporter_.log()),
                      hostCode, devices_);
}

void Runtime::setGpuAllocator(nvinfer1::IGpuAllocator* allocator) noexcept {
    allocator_ = allocator;
}

void Runtime::setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept {
    reporter_.setRecorder(recorder);
}

nvinfer1::IErrorRecorder* Runtime::getErrorRecorder() const noexcept {
    return reporter_.recorder();
}

nvinfer1::ICudaEngine* Runtime::deserializeCudaEngine(void const* blob, std::size_t size) noexcept {
    return reporter_.guard<nvinfer1::ICudaEngine*>(nullptr, [&] {
        if (blob == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "[runtime] engine: expected a plan, got null. Test what the build returned.");
        }
        return open(runtime::copyOfPlan({static_cast<std::byte const*>(blob), size}));
    });
}

template <typename Read>
nvinfer1::ICudaEngine* Runtime::readAll(Read&& read) noexcept {
    return reporter_.guard<nvinfer1::ICudaEngine*>(nullptr, [&] {
        Bytes plan;
        for (;;) {
            std::size_t const filled = plan.size();
            plan.resize(filled + static_cast<std::size_t>(kReadChunk));
            int64_t const got = read(plan.data() + filled, kReadChunk);
            if (got < 0 || got > kReadChunk) {
                fail(ErrorKind::kInvalidArgument,
                     "[runtime] stream reader: expected 0 to {} bytes, got {}. Return how many "
                     "were read, 0 at the end.",
                     kReadChunk, got);
            }
            plan.resize(filled + static_cast<std::size_t>(got));
            if (got == 0) {
                break;
            }
        }
        return open(runtime::copyOfPlan(plan));
    });
}

nvinfer1::ICudaEngine* Runtime::deserializeCudaEngine(nvinfer1::IStreamReaderV2& streamReader) {
    return readAll([&](void* to, int64_t bytes) { return streamReader.read(to, bytes, nullptr); });
}

nvinfer1::ICudaEngine* Runtime::deserializeCudaEngine(nvinfer1::IStreamReader& streamReader) {
    return readAll([&](void* to, int64_t bytes) { return streamReader.read(to, bytes); });
}

bool Runtime::setMaxThreads(int32_t maxThreads) noexcept {
    if (maxThreads < 1) {
        return false;
    }
    maxThreads_ = maxThreads;
    return true;
}

void Runtime::setTemporaryDirectory(char const* path) noexcept {
    reporter_.guard(
        [&] { temporaryDirectory_ = path == nullptr ? defaultTemporaryDirectory() : path; });
}

char const* Runtime::getTemporaryDirectory() const noexcept {
    return temporaryDirectory_.c_str();
}

void Runtime::setTempfileControlFlags(nvinfer1::TempfileControlFlags flags) noexcept {
    tempfileFlags_ = flags;
}

nvinfer1::TempfileControlFlags Runtime::getTempfileControlFlags() const noexcept {
    return tempfileFlags_;
}

nvinfer1::IPluginRegistry& Runtime::getPluginRegistry() noexcept {
    return registry_;
}

nvinfer1::IRuntime* Runtime::loadRuntime(char const* path) noexcept {
    return reporter_.guard<nvinfer1::IRuntime*>(nullptr, [&]() -> nvinfer1::IRuntime* {
        fail(ErrorKind::kUnsupported,
             "[runtime] library '{}': expected no runtime in a library, because plans of other "
             "versions, if they are version-compatible, need none. Open the plan with this "
             "runtime.",
             orEmpty(path));
    });
}

} // namespace kiln::api

extern "C" void* createInferRuntime_INTERNAL(void* logger, int32_t version) noexcept {
    kiln::api::Reporter const reporter{kiln::Log(static_cast<nvinfer1::ILogger*>(logger))};
    return reporter.guard<void*>(nullptr, [&]() -> void* {
        kiln::api::checkCaller("runtime", logger, version);
        return static_cast<nvinfer1::IRuntime*>(
            new kiln::api::Runtime(*static_cast<nvinfer1::ILogger*>(logger)));
    });
}
