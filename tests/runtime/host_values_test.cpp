// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_values.h"

#include <array>

#include <gmock/gmock.h>

namespace kiln::runtime {
namespace {

plan::Document documentOf(DataType type) {
    plan::Document document;
    plan::TensorRecord tensor;
    tensor.role = plan::TensorRole::kValues;
    tensor.type.type = type;
    tensor.values = {2, 0, 1};
    document.tensors = {plan::TensorRecord{}, tensor, tensor};
    return document;
}

std::vector<int64_t> writtenAndRead(DataType type, std::vector<int64_t> const& values) {
    plan::Document const document = documentOf(type);
    HostValues host(document);
    host.write(values);
    std::vector<int64_t> read(3);
    readValues(type, host.of(2), read);
    return read;
}

TEST(HostValues, ElementsAreExpressionsInTheTensorsType) {
    std::vector<int64_t> const values{7, -1, int64_t{1} << 40};
    EXPECT_THAT(writtenAndRead(DataType::kINT64, values),
                ::testing::ElementsAre(int64_t{1} << 40, 7, -1));
    EXPECT_THAT(writtenAndRead(DataType::kINT32, {7, -1, 5}), ::testing::ElementsAre(5, 7, -1));
    EXPECT_THAT(writtenAndRead(DataType::kBOOL, {7, 0, 1}), ::testing::ElementsAre(1, 1, 0));
}

TEST(HostValues, EachTensorHasItsPlace) {
    plan::Document const document = documentOf(DataType::kINT64);
    HostValues host(document);
    EXPECT_GE(static_cast<std::byte*>(host.of(2)) - static_cast<std::byte*>(host.of(1)), 24);
}

} // namespace
} // namespace kiln::runtime
