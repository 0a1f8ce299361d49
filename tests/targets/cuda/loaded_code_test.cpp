// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/loaded_code.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "graph/ops/softmax.h"
#include "targets/cuda/backend.h"
#include "targets/cuda/code_archive.h"
#include "targets/cuda/device.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using testing::HasSubstr;

TEST(GpuOfAnotherArchitecture, BuildsPlansButDoesNotRunThem) {
    KILN_NEEDS_GPU();
    char const* const other = Device::instance().architecture.major == 7 ? "sm_90" : "sm_75";
    CudaBackend const cuda(target::parseTarget(std::string("cuda:") + other));
    EXPECT_FALSE(cuda.runsHere());
    graph::SoftMax const op;
    std::vector<::kiln::test::Values> const inputs{{DataType::kFLOAT, makeDims({4, 4}), {}, false}};
    ::kiln::test::Values const output = inputs[0];
    auto const in = ::kiln::test::specsOf(inputs);
    auto const out = ::kiln::test::specsOf(std::span(&output, 1));
    std::vector<target::Candidate> const candidates = cuda.candidates({op, "test", in, out});
    ASSERT_FALSE(candidates.empty());
    target::KernelRecord record = ::kiln::test::recordOf(op, candidates[0].kernel, inputs, output);
    record.code = candidates[0].compile();
    auto const kernel = cuda.load(record, std::vector<target::ConstantOperand>(1));
    auto const instance = kernel->instantiate();
    std::vector<Dims> const dims{output.dims};
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported, [&] { instance->reshape(dims, dims); }),
                HasSubstr(std::string("expected code for ") +
                          Device::instance().architecture.text() + ", got code for " + other));
}

TEST(GpuCodeOfEngines, GoesWithThem) {
    KILN_NEEDS_GPU();
    std::string const here = Device::instance().architecture.text();
    auto const load = [&](int number) {
        std::string const text =
            fmt::format("extern \"C\" __global__ void k(int* p) {{ *p = {}; }}", number);
        return LoadedCode(compileFor({"test.cu", text, {}}, std::span(&here, 1)));
    };
    std::size_t most = 0;
    for (int i = 0; i < 5; ++i) {
        LoadedCode const code = load(i);
        EXPECT_NE(code.function("k"), nullptr);
        most = std::max(most, LoadedCode::known());
    }
    LoadedCode const last = load(100);
    EXPECT_LE(LoadedCode::known(), most);
    EXPECT_LE(most, 2U); // the code in use and the one before it
}

} // namespace
} // namespace kiln::targets::cuda
