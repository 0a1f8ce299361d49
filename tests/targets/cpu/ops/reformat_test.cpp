// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/reformat.h"

#include <gtest/gtest.h>

#include "base/tensor_layout.h"
#include "target/backend_registry.h"

namespace kiln::test {
namespace {

using Words = std::vector<uint16_t>;

Words reformatted(TensorFormat from, TensorFormat to, Dims const& dims, Words const& input) {
    target::Backend& cpu = target::BackendRegistry::instance().open("cpu");
    target::KernelRecord record;
    record.op = graph::Reformat::kKind;
    record.kernel = "reformat_reference";
    record.inputs = {{DataType::kHALF, from}};
    record.outputs = {{DataType::kHALF, to}};
    target::ConstantOperand const none;
    auto const kernel = cpu.load(record, {&none, 1});
    auto const instance = kernel->instantiate();
    instance->reshape({&dims, 1}, {&dims, 1});
    Words output(storageBytes(DataType::kHALF, to, dims, "output") / sizeof(uint16_t), 999);
    void const* const inputs[] = {input.data()};
    void* const outputs[] = {output.data()};
    target::Launch const launch = instance->launch();
    EXPECT_EQ(launch.run(launch.state, {inputs, outputs, nullptr}, nullptr), 0);
    return output;
}

Words counted(Dims const& dims) {
    Words words(static_cast<std::size_t>(volume(dims, "counted")));
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = static_cast<uint16_t>(i + 1);
    }
    return words;
}

TEST(ReformatKernel, PutsChannelsWhereTheFormatSays) {
    Dims const dims = makeDims({1, 3, 1, 2}); // channel c at position w is 2 c + w + 1
    EXPECT_EQ(reformatted(TensorFormat::kLINEAR, TensorFormat::kHWC, dims, counted(dims)),
              (Words{1, 3, 5, 2, 4, 6}));
    EXPECT_EQ(reformatted(TensorFormat::kLINEAR, TensorFormat::kCHW2, dims, counted(dims)),
              (Words{1, 3, 2, 4, 5, 0, 6, 0}));
    EXPECT_EQ(reformatted(TensorFormat::kLINEAR, TensorFormat::kHWC8, dims, counted(dims)),
              (Words{1, 3, 5, 0, 0, 0, 0, 0, 2, 4, 6, 0, 0, 0, 0, 0}));
}

TEST(ReformatKernel, ComesBackFromEveryFormat) {
    for (int32_t number = 0; number < nvinfer1::EnumMax<TensorFormat>(); ++number) {
        auto const format = static_cast<TensorFormat>(number);
        for (Dims const& dims : {makeDims({2, 5, 3, 4}), makeDims({1, 33, 1, 2, 3}),
                                 makeDims({0, 3, 2, 2}), makeDims({7, 2, 2})}) {
            if (!fitsFormat(format, DataType::kHALF, dims.nbDims)) {
                continue;
            }
            Words const words = counted(dims);
            Words const there = reformatted(TensorFormat::kLINEAR, format, dims, words);
            EXPECT_EQ(reformatted(format, TensorFormat::kLINEAR, dims, there), words)
                << nameOf(format) << " " << toText(dims);
        }
    }
}

} // namespace
} // namespace kiln::test
