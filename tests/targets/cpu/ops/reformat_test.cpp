// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/reformat.h"

#include <gtest/gtest.h>

#include "base/tensor_layout.h"
#include "target/backend_registry.h"

namespace kiln::test {
namespace {

using Words = std::vector<uint16_t>;

Words reformatted(target::OperandType const& from, target::OperandType const& to, Dims const& dims,
                  Words const& input) {
    target::Backend& cpu = target::BackendRegistry::instance().open("cpu");
    target::KernelRecord record;
    record.op = graph::Reformat::kKind;
    record.kernel = "reformat_reference";
    record.inputs = {from};
    record.outputs = {to};
    target::ConstantOperand const none;
    auto const kernel = cpu.load(record, {&none, 1});
    auto const instance = kernel->instantiate();
    instance->reshape({&dims, 1}, {&dims, 1});
    Words output(target::bytesIn(cpu.layouts(), to, dims, "output") / sizeof(uint16_t), 999);
    void const* const inputs[] = {input.data()};
    void* const outputs[] = {output.data()};
    target::Launch const launch = instance->launch();
    EXPECT_EQ(launch.run(launch.state, {inputs, outputs, nullptr}, nullptr), 0);
    return output;
}

Words reformatted(TensorFormat from, TensorFormat to, Dims const& dims, Words const& input) {
    return reformatted({DataType::kHALF, from}, {DataType::kHALF, to}, dims, input);
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

TEST(ReformatKernel, GoesToLayoutsOfTheTarget) {
    Dims const dims = makeDims({2, 3, 7, 9});
    target::OperandType const linear{DataType::kHALF, TensorFormat::kLINEAR};
    target::OperandType const last{DataType::kHALF, TensorFormat::kHWC};
    for (target::Layout const& layout : target::BackendRegistry::instance().open("cpu").layouts()) {
        target::OperandType const own{DataType::kHALF, layout.format, layout.tag};
        Words expected;
        for (int64_t place = 0; place < 2 * 63; ++place) {
            for (int64_t channel = 0; channel < layout.traits.vector; ++channel) {
                int64_t const number = (place / 63 * 3 + channel) * 63 + place % 63 + 1;
                expected.push_back(static_cast<uint16_t>(channel < 3 ? number : 0));
            }
        }
        Words const words = counted(dims);
        EXPECT_EQ(reformatted(linear, own, dims, words), expected) << layout.name;
        EXPECT_EQ(reformatted(last, own, dims, reformatted(linear, last, dims, words)), expected);
        EXPECT_EQ(reformatted(own, linear, dims, expected), words);
        EXPECT_EQ(reformatted(own, last, dims, expected), reformatted(linear, last, dims, words));
    }
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
