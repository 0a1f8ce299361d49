// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/code/check_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "plugin/code/code_samples.h"

namespace kiln::plugin {
namespace {

using test::errorOf;
using testing::HasSubstr;

constexpr KernelContract kScale{"cuda", "sm_80", 1, 1};
constexpr KernelContract kAdd{"cuda", "sm_90", 2, 1};

AotKernel kernel(char const* entry, std::vector<Bytes> images, std::vector<ScalarType> scalars) {
    AotKernel result;
    result.entry = entry;
    for (Bytes& bytes : images) {
        result.images.push_back({});
        result.images.back().bytes = std::move(bytes);
    }
    for (ScalarType const type : scalars) {
        result.scalars.push_back({});
        result.scalars.back().type = type;
    }
    return result;
}

AotKernel scale(std::vector<ScalarType> scalars = {ScalarType::kInt32, ScalarType::kFloat32}) {
    return kernel("scale", {test::sampleCubin()}, std::move(scalars));
}

AotKernel add(std::vector<ScalarType> scalars = {ScalarType::kInt32, ScalarType::kFloat32}) {
    return kernel("add", {test::bytesOf(test::kSamplePtx)}, std::move(scalars));
}

std::string problemOf(AotKernel given, KernelContract const& contract,
                      ErrorKind kind = ErrorKind::kInvalidArgument) {
    return errorOf(kind, [&] { checkKernel(given, contract); });
}

TEST(CheckKernel, CompletesWhatTheImagesTell) {
    AotKernel given = add();
    checkKernel(given, kAdd);
    EXPECT_EQ(given.images[0].kind, CodeKind::kPtx);
    EXPECT_EQ(given.images[0].architecture, "sm_90a");
    EXPECT_EQ(given.images[0].ptxVersion, 94);
    EXPECT_EQ(given.nullPointers, 2) << "scratch pointers that the code never reads";
    AotKernel plain = scale();
    checkKernel(plain, kScale);
    EXPECT_EQ(plain.images[0].kind, CodeKind::kCubin);
    EXPECT_EQ(plain.nullPointers, 0);
}

TEST(CheckKernel, TheCubinComesFirst) {
    std::string const ptx = ".version 8.0 .target sm_80 .entry scale(.param .u64 x, "
                            ".param .u32 n, .param .f32 s, .param .u64 y) { ret; }";
    AotKernel given = kernel("scale", {test::bytesOf(ptx), test::sampleCubin()},
                             {ScalarType::kInt32, ScalarType::kFloat32});
    checkKernel(given, kScale);
    EXPECT_EQ(given.images[0].kind, CodeKind::kCubin);
    EXPECT_EQ(given.images[1].kind, CodeKind::kPtx);
}

TEST(CheckKernel, HostObjects) {
    AotKernel given = kernel("add", {test::sampleSharedObject({"add"})}, {ScalarType::kInt64});
    KernelContract const contract{"cpu", "x86-64", 2, 1};
    checkKernel(given, contract);
    EXPECT_EQ(given.images[0].kind, CodeKind::kHostObject);
    given.entry = "sub";
    EXPECT_THAT(problemOf(given, contract), HasSubstr("entry points of a host object, got add."));
    EXPECT_THAT(problemOf(given, {"cpu", "aarch64", 2, 1}),
                HasSubstr("expected code that runs on aarch64, got a host object for x86-64"));
}

TEST(CheckKernel, NoCode) {
    EXPECT_THAT(problemOf(kernel("f", {}, {}), kScale),
                HasSubstr("kernel 'f': expected code for sm_80, got none"));
    EXPECT_THAT(problemOf(kernel("f", {{}}, {}), kScale), HasSubstr("kernel 'f': expected PTX, a "
                                                                    "cubin or a host object, got "
                                                                    "no bytes"));
    Bytes damaged = test::sampleCubin();
    damaged.resize(500);
    EXPECT_THAT(problemOf(kernel("scale", {damaged}, {}), kScale, ErrorKind::kCorruptData),
                HasSubstr("kernel 'scale': expected"));
}

TEST(CheckKernel, OfAnotherTarget) {
    EXPECT_THAT(problemOf(kernel("f", {test::sampleSharedObject({"f"})}, {}), kScale),
                HasSubstr("expected code for the target cuda, got a host object for x86-64"));
    EXPECT_THAT(problemOf(scale(), {"cpu", "x86-64", 1, 1}),
                HasSubstr("expected code for the target cpu, got a cubin for sm_80"));
}

TEST(CheckKernel, OfAnotherArchitecture) {
    EXPECT_THAT(problemOf(scale(), {"cuda", "sm_90", 1, 1}),
                HasSubstr("expected code that runs on sm_90, got a cubin for sm_80. Compile it for "
                          "sm_90"));
    EXPECT_THAT(problemOf(add(), {"cuda", "sm_80", 2, 1}),
                HasSubstr("expected code that runs on sm_80, got PTX for sm_90a"));
}

TEST(CheckKernel, WithoutItsEntry) {
    AotKernel given = scale();
    given.entry = "scala";
    EXPECT_THAT(problemOf(given, kScale), HasSubstr("kernel 'scala': expected it among the entry "
                                                    "points of a cubin, got near names: scale."));
    given.entry = "multiply";
    EXPECT_THAT(problemOf(given, kScale), HasSubstr("of a cubin, got scale."));
    std::string many = ".version 8.0 .target sm_80\n";
    for (char const* const name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
        many += fmt::format(".entry kernel_{}() {{}}\n", name);
    }
    EXPECT_THAT(problemOf(kernel("x", {test::bytesOf(many)}, {}), kScale),
                HasSubstr("kernel_g, kernel_h and 2 more."));
}

TEST(CheckKernel, WrongNumberOfParameters) {
    EXPECT_THAT(problemOf(scale({ScalarType::kInt32}), {"cuda", "sm_80", 1, 0}),
                HasSubstr("expected 2 parameters (1 inputs, 1 scalars, 0 outputs, in this order), "
                          "the code has 4"));
    EXPECT_THAT(problemOf(scale(), {"cuda", "sm_80", 2, 1}), HasSubstr("the code has 4"));
    EXPECT_THAT(problemOf(add(), {"cuda", "sm_90", 1, 1}), HasSubstr("the code has 7"))
        << "three more than there are arguments";
    EXPECT_THAT(problemOf(add(), {"cuda", "sm_90", 2, 0}), HasSubstr("expected 4 parameters"))
        << "the code reads the pointer that would be null";
}

TEST(CheckKernel, WrongParameters) {
    EXPECT_THAT(
        problemOf(scale({ScalarType::kInt64, ScalarType::kFloat32}), kScale),
        HasSubstr("parameter 1: expected the extra argument 0 (int64, 8 bytes), the code has "
                  "4 bytes"));
    EXPECT_THAT(problemOf(add({ScalarType::kFloat32, ScalarType::kFloat32}), kAdd),
                HasSubstr("parameter 2: expected the extra argument 0 (float32, 4 bytes), the code "
                          "has an integer of 4 bytes"));
    EXPECT_THAT(problemOf(add({ScalarType::kInt32, ScalarType::kInt32}), kAdd),
                HasSubstr("the code has a real number of 4 bytes"));
    EXPECT_THAT(problemOf(scale(), {"cuda", "sm_80", 0, 2}),
                HasSubstr("parameter 0: expected the extra argument 0 (int32, 4 bytes)"));
    EXPECT_THAT(problemOf(scale({ScalarType::kFloat32}), {"cuda", "sm_80", 2, 1}),
                HasSubstr("parameter 1: expected the address of a tensor (8 bytes), the code has 4 "
                          "bytes. The order is: inputs, extra arguments, outputs"));
}

TEST(CheckKernel, SeveralImagesOfOneKind) {
    EXPECT_THAT(problemOf(kernel("scale", {test::sampleCubin(), test::sampleCubin()},
                                 {ScalarType::kInt32, ScalarType::kFloat32}),
                          kScale),
                HasSubstr("expected one image of each kind for an architecture, got 2 times a "
                          "cubin"));
}

} // namespace
} // namespace kiln::plugin
