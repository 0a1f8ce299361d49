// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/module.h"

#include <memory>

#include "targets/cuda/code_archive.h"
#include "targets/cuda/gpu_fixture.h"
#include "targets/cuda/loaded_code.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using testing::AllOf;
using testing::HasSubstr;

constexpr char const* kSource = "extern \"C\" __global__ void nothing() {}\n";

ByteView bytesOf(std::string_view text) {
    return {reinterpret_cast<std::byte const*>(text.data()), text.size()};
}

class GpuModule : public test::EmulatedGpuTest {};

TEST_F(GpuModule, FindsKernelsByName) {
    Module const module(test::compiled(kSource));
    EXPECT_NE(module.function("nothing"), nullptr);
    EXPECT_THAT(errorOf(ErrorKind::kCorruptData, [&] { module.function("something"); }),
                HasSubstr("[cuda] expected a kernel named 'something' in the code, got "
                          "CUDA_ERROR_NOT_FOUND"));
}

TEST_F(GpuModule, TellsWhatTheDriverSays) {
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported, [] { Module const module(bytesOf("rubbish")); }),
                AllOf(HasSubstr("[cuda] the driver (13.0) does not load the code: "),
                      HasSubstr("CUDA_ERROR_INVALID_IMAGE (device kernel image is invalid)")));
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported,
                        [] { Module const module(bytesOf(".version 9.0\n.target sm_90\n")); }),
                AllOf(HasSubstr("CUDA_ERROR_INVALID_PTX"), HasSubstr("): ptxas fatal")));
    Bytes damaged = test::compiled(kSource);
    damaged[damaged.size() / 2] ^= std::byte{1};
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported, [&] { Module const module(damaged); }),
                HasSubstr("CUDA_ERROR_INVALID_IMAGE"));
    Bytes const other = compileSource({"test.cu", kSource, {}}, "sm_80");
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported, [&] { Module const module(other); }),
                HasSubstr("CUDA_ERROR_NO_BINARY_FOR_GPU"));
}

TEST_F(GpuModule, SaysWhenMemoryIsShort) {
    failCall("cuModuleLoadDataEx", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(
        errorOf(ErrorKind::kOutOfMemory, [] { Module const module(test::compiled(kSource)); }),
        HasSubstr("[cuda] load code onto the GPU: expected success, got"));
}

TEST_F(GpuModule, IsUnloadedWhenItGoes) {
    uint64_t const before = calls("cuModuleUnload");
    {
        Module const module(test::compiled(kSource));
    }
    EXPECT_EQ(calls("cuModuleUnload"), before + 1);
}

class GpuLoadedCode : public test::EmulatedGpuTest {};

TEST_F(GpuLoadedCode, IsSharedWhileItIsUsed) {
    std::string const architectures[] = {"sm_80", "sm_90"};
    SourceText const source{"test.cu", std::string(kSource) + "// shared\n", {}};
    Bytes const code = compileFor(source, architectures);
    uint64_t const before = calls("cuModuleLoadDataEx");
    auto first = std::make_unique<LoadedCode const>(code);
    {
        LoadedCode const second{ByteView(code)};
        EXPECT_EQ(calls("cuModuleLoadDataEx"), before + 1);
        EXPECT_NE(second.function("nothing"), nullptr);
    }
    errorOf(ErrorKind::kCorruptData, [&] { first->function("something"); });
    first.reset();
    LoadedCode const again{ByteView(code)};
    EXPECT_EQ(calls("cuModuleLoadDataEx"), before + 2);
}

TEST_F(GpuLoadedCode, IsForThisGpu) {
    std::string const architectures[] = {"sm_80"};
    Bytes const code = compileFor({"test.cu", kSource, {}}, architectures);
    LoadedCode const loaded{ByteView(code)}; // loads, as plans for other GPUs are built here too
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported, [&] { loaded.function("nothing"); }),
                HasSubstr("expected code for sm_90, got code for sm_80"));
}

} // namespace
} // namespace kiln::targets::cuda
