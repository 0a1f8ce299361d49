// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/convolution.h"

#include <thread>

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "targets/cuda/cudnn/cudnn.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

using targets::cuda::Cudnn;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// One convolution; kernel and bias are operands, as a plan has them.
struct Case {
    graph::Convolution op;
    Dims input{};
    bool hasBias = true;

    Case(Dims const& dims, int64_t maps, Dims const& size) : input(dims) {
        op.maps = maps;
        op.window = graph::Window::ofSize(size);
    }
    Case& stride(Dims const& stride) {
        op.window.stride = stride;
        return *this;
    }
    Case& dilation(Dims const& dilation) {
        op.window.dilation = dilation;
        return *this;
    }
    Case& padding(Dims const& before, Dims const& after) {
        op.window.prePadding = before;
        op.window.postPadding = after;
        return *this;
    }
    Case& padding(Dims const& both) { return padding(both, both); }
    Case& groups(int64_t groups) {
        op.groups = groups;
        return *this;
    }
    Case& noBias() {
        hasBias = false;
        return *this;
    }
};

std::vector<std::string> check(Case const& test, std::vector<DataType> const& types) {
    Dims kernel = test.input;
    kernel.d[0] = test.op.maps;
    kernel.d[1] = test.input.d[1] / test.op.groups;
    std::copy_n(test.op.window.size.d, test.op.window.size.nbDims, kernel.d + 2);
    double products = static_cast<double>(kernel.d[1]);
    for (int32_t i = 2; i < kernel.nbDims; ++i) {
        products *= static_cast<double>(kernel.d[i]);
    }
    std::vector<std::string> kernels;
    for (DataType const type : types) {
        std::vector<Values> inputs{randomTensor(type, test.input), randomTensor(type, kernel)};
        if (test.hasBias) {
            inputs.push_back(randomTensor(type, makeDims({test.op.maps})));
        }
        // Products of magnitude 4 and their sums round once each, here and on the cpu.
        Tolerance const tolerance{4.0 * products * 0x1p-22, 4.0 * roundingOf(type) + 1e-6};
        kernels = expectLikeCpu(test.op, inputs, tolerance);
    }
    return kernels;
}

std::vector<std::string> check(Case const& test) {
    return check(test, {DataType::kFLOAT, DataType::kHALF, DataType::kBF16});
}

TEST(CudaConvolution, Images) {
    KILN_NEEDS_GPU();
    check(Case(makeDims({2, 3, 11, 9}), 5, makeDims({3, 3})));
    check(Case(makeDims({2, 3, 11, 9}), 5, makeDims({3, 3})).noBias());
    check(Case(makeDims({2, 16, 14, 14}), 32, makeDims({3, 3})).padding(makeDims({1, 1})));
    check(Case(makeDims({2, 64, 8, 8}), 64, makeDims({1, 1})).noBias());
    check(Case(makeDims({1, 3, 32, 32}), 16, makeDims({7, 7}))
              .stride(makeDims({2, 2}))
              .padding(makeDims({3, 3})));
    check(Case(makeDims({2, 8, 15, 13}), 8, makeDims({3, 2}))
              .dilation(makeDims({2, 3}))
              .stride(makeDims({1, 2})));
}

TEST(CudaConvolution, Groups) {
    KILN_NEEDS_GPU();
    check(Case(makeDims({2, 8, 9, 9}), 4, makeDims({3, 3})).groups(2));
    check(Case(makeDims({2, 8, 9, 9}), 8, makeDims({3, 3})).groups(8).padding(makeDims({1, 1})));
    check(Case(makeDims({2, 32, 9, 9}), 64, makeDims({3, 3})).groups(4).noBias());
}

TEST(CudaConvolution, LinesAndVolumes) {
    KILN_NEEDS_GPU();
    check(Case(makeDims({2, 4, 40}), 6, makeDims({5})).stride(makeDims({2})));
    check(Case(makeDims({2, 4, 40}), 6, makeDims({3})).padding(makeDims({1})).noBias());
    check(Case(makeDims({1, 4, 6, 7, 8}), 6, makeDims({3, 3, 3})).padding(makeDims({1, 1, 1})));
    check(Case(makeDims({1, 4, 6, 7, 8}), 4, makeDims({2, 3, 2})).groups(2).noBias());
}

TEST(CudaConvolution, PaddingOfOneSideGoesToOurKernel) {
    KILN_NEEDS_GPU();
    std::vector<std::string> const kernels =
        check(Case(makeDims({1, 3, 8, 8}), 4, makeDims({3, 3}))
                  .padding(makeDims({0, 0}), makeDims({2, 2})));
    EXPECT_THAT(kernels, Not(Contains("convolution_cudnn")));
    EXPECT_THAT(kernels, Contains("convolution_reference"));
}

TEST(CudaConvolution, ChannelsLast) {
    KILN_NEEDS_GPU();
    for (auto const& [channels, size] :
         {std::pair(16, 3), std::pair(8, 1), std::pair(3, 3), std::pair(5, 1)}) {
        for (bool const hasBias : {true, false}) {
            graph::Convolution op;
            op.maps = 8;
            op.window = graph::Window::ofSize(makeDims({size, size}));
            op.window.prePadding = makeDims({size / 2, size / 2});
            op.window.postPadding = op.window.prePadding;
            std::vector<Values> inputs{
                randomTensor(DataType::kHALF, makeDims({2, channels, 9, 7})),
                asConstant(randomTensor(DataType::kHALF, makeDims({8, channels, size, size})))};
            if (hasBias) {
                inputs.push_back(asConstant(randomTensor(DataType::kHALF, makeDims({8}))));
            }
            double const products = static_cast<double>(channels) * size * size;
            Tolerance const tolerance{4.0 * products * 0x1p-22, 4.0 * roundingOf(DataType::kHALF)};
            std::vector<std::string> const kernels =
                expectLikeCpu(op, inputs, tolerance, 0, TensorFormat::kHWC);
            if (Cudnn::problem().empty()) {
                EXPECT_THAT(kernels, Contains("convolution_cudnn"));
            }
        }
    }
}

TEST(CudaConvolution, WithoutImages) {
    KILN_NEEDS_GPU();
    check(Case(makeDims({0, 3, 8, 8}), 4, makeDims({3, 3})));
}

TEST(CudaConvolution, LibraryIsOfferedWhereItIs) {
    KILN_NEEDS_GPU();
    std::vector<std::string> const kernels =
        check(Case(makeDims({1, 8, 8, 8}), 8, makeDims({3, 3})));
    EXPECT_EQ(kernels.back(), "convolution_reference");
    if (!Cudnn::problem().empty()) {
        GTEST_SKIP() << Cudnn::problem();
    }
    EXPECT_THAT(kernels, Contains("convolution_cudnn"));
}

TEST(CudaConvolution, WordsOfCudnn) {
    if (!Cudnn::problem().empty()) {
        GTEST_SKIP() << Cudnn::problem();
    }
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported,
                        [] {
                            Cudnn::instance().check(targets::cuda::CUDNN_STATUS_BAD_PARAM,
                                                    "try something");
                        }),
                HasSubstr("[cuda] cuDNN, try something: expected success, got CUDNN_STATUS_"));
    graph::Convolution op;
    op.maps = 4;
    op.window = graph::Window::ofSize(makeDims({1, 1}));
    EXPECT_THAT(failureOf("convolution_cudnn", op,
                          {randomTensor(DataType::kHALF, makeDims({1, 4, 8, 8})),
                           randomTensor(DataType::kHALF, makeDims({4, 4, 1, 1}))},
                          1),
                HasSubstr("cuDNN expects operands at multiples of 16 bytes, got 0x"));
}

TEST(CudaConvolution, ThreadsDoNotDisturbEachOther) {
    KILN_NEEDS_GPU();
    Case const test = Case(makeDims({4, 16, 16, 16}), 16, makeDims({3, 3})).noBias();
    std::vector<Values> const inputs{randomTensor(DataType::kFLOAT, test.input),
                                     randomTensor(DataType::kFLOAT, makeDims({16, 16, 3, 3}))};
    std::vector<KernelRun> const want = runAllOnGpu(test.op, inputs);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 3; ++round) {
                std::vector<KernelRun> const got = runAllOnGpu(test.op, inputs);
                ASSERT_EQ(got.size(), want.size());
                for (std::size_t k = 0; k < got.size(); ++k) {
                    EXPECT_EQ(got[k].output.data, want[k].output.data) << got[k].kernel;
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

} // namespace
} // namespace kiln::test
