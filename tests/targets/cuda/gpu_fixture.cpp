// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/gpu_fixture.h"

#include <cstdlib>

#include <dlfcn.h>

namespace kiln::targets::cuda::test {
namespace {

/// Returns a function of the emulated driver; null if the driver is a real one.
template <typename Function>
Function* emulated(char const* name) {
    static void* const library = dlopen(Driver::file().c_str(), RTLD_NOW | RTLD_NOLOAD);
    return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

} // namespace

void GpuTest::SetUp() {
    if (!gpuProblem().empty()) {
        GTEST_SKIP() << gpuProblem();
    }
    if (!nvrtcProblem().empty()) {
        GTEST_SKIP() << nvrtcProblem();
    }
    cuda_.enterThread();
}

void GpuTest::TearDown() {
    if (gpuProblem().empty()) {
        if (auto* const reset = emulated<void()>("kilnEmulatedReset")) {
            reset();
        }
    }
}

void EmulatedGpuTest::SetUp() {
    GpuTest::SetUp();
    if (!IsSkipped() && emulated<void()>("kilnEmulatedReset") == nullptr) {
        GTEST_SKIP() << "only the emulated GPU fails when it is told to";
    }
}

void EmulatedGpuTest::failCall(char const* function, CUresult result, int after) {
    emulated<void(char const*, int, int)>("kilnEmulatedFail")(function, result, after);
}

void EmulatedGpuTest::faultNextKernel() {
    emulated<void()>("kilnEmulatedFaultNextKernel")();
}

void EmulatedGpuTest::setMemory(std::size_t bytes) {
    emulated<void(std::size_t)>("kilnEmulatedSetMemory")(bytes);
}

void EmulatedGpuTest::setOrder(bool random, uint64_t seed) {
    emulated<void(bool, unsigned long long)>("kilnEmulatedSetOrder")(random, seed);
}

uint64_t EmulatedGpuTest::calls(char const* function) {
    return emulated<unsigned long long(char const*)>("kilnEmulatedCalls")(function);
}

GpuNumbers::GpuNumbers(CudaDevice& cuda, std::vector<float> const& values)
    : cuda_(cuda), count_(values.size()),
      memory_(cuda.allocate(values.size() * sizeof(float), 256, "a test")) {
    cuda_.copy(memory_, values.data(), count_ * sizeof(float), target::CopyKind::kHostToDevice,
               nullptr);
    cuda_.synchronize(nullptr);
}

GpuNumbers::~GpuNumbers() {
    cuda_.release(memory_);
}

std::vector<float> GpuNumbers::read(target::StreamHandle stream) const {
    cuda_.synchronize(stream);
    std::vector<float> values(count_);
    cuda_.copy(values.data(), memory_, count_ * sizeof(float), target::CopyKind::kDeviceToHost,
               nullptr);
    cuda_.synchronize(nullptr);
    return values;
}

Bytes compiled(std::string const& source) {
    return compileSource({"test.cu", source, {}}, Gpu::current().architecture.text());
}

} // namespace kiln::targets::cuda::test
