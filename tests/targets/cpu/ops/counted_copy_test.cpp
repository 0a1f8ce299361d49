// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/counted_copy.h"

#include <gmock/gmock.h>

#include "target/backend_registry.h"

namespace kiln::test {
namespace {

using testing::ElementsAre;

/// Copies the first `count` entries along the axis into a 2 x 3 output of zeros; returns that
/// output.
template <typename Count>
std::vector<float> copied(int32_t axis, Count count, DataType type) {
    target::Backend& cpu = target::BackendRegistry::instance().open("cpu");
    graph::CountedCopy op;
    op.axis = axis;
    ByteWriter writer;
    op.save(writer);
    target::KernelRecord record;
    record.op = graph::CountedCopy::kKind;
    record.kernel = "counted_copy_reference";
    record.parameters = writer.take();
    record.inputs = {{}, {type, TensorFormat::kLINEAR}};
    record.outputs = {{}};
    target::ConstantOperand const none[2];
    auto const kernel = cpu.load(record, none);
    auto const instance = kernel->instantiate();
    Dims const dims = makeDims({2, 3});
    Dims const inputDims[]{dims, makeDims({})};
    instance->reshape(inputDims, {&dims, 1});
    std::vector<float> const from{1, 2, 3, 4, 5, 6};
    std::vector<float> to(6);
    void const* const inputs[]{from.data(), &count};
    void* const outputs[]{to.data()};
    target::Launch const launch = instance->launch();
    EXPECT_EQ(launch.run(launch.state, {inputs, outputs, nullptr}, nullptr), 0);
    return to;
}

TEST(CountedCopy, CopiesTheFirstEntries) {
    EXPECT_THAT(copied<int32_t>(0, 1, DataType::kINT32), ElementsAre(1, 2, 3, 0, 0, 0));
    EXPECT_THAT(copied<int64_t>(0, 1, DataType::kINT64), ElementsAre(1, 2, 3, 0, 0, 0));
    EXPECT_THAT(copied<int32_t>(1, 2, DataType::kINT32), ElementsAre(1, 2, 3, 4, 0, 0));
    EXPECT_THAT(copied<int32_t>(0, 0, DataType::kINT32), ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(CountedCopy, CutsNumbersOutOfRange) {
    EXPECT_THAT(copied<int32_t>(0, 3, DataType::kINT32), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(copied<int64_t>(1, INT64_MAX, DataType::kINT64), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(copied<int64_t>(1, -1, DataType::kINT64), ElementsAre(0, 0, 0, 0, 0, 0));
}

} // namespace
} // namespace kiln::test
