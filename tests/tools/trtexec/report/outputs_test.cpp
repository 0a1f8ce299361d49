// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/outputs.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "logger.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;
using nvinfer1::Dims;

TensorBuffer tensor(std::string const& name, Dims const& dims) {
    TensorBuffer buffer(name, DataType::kFLOAT);
    buffer.resize(dims);
    for (size_t i = 0; i < buffer.count(); ++i) {
        static_cast<float*>(buffer.data())[i] = static_cast<float>(i) + 0.5F;
    }
    return buffer;
}

TEST(TensorsAsJson, HasNameDimensionsAndValues) {
    TensorBuffer const y = tensor("y", Dims{2, {1, 3}});
    TensorBuffer const odd = tensor("a \"quoted\" name", Dims{0, {}});
    auto const list = nlohmann::json::parse(tensorsAsJson({&y, &odd}));
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0]["name"], "y");
    EXPECT_EQ(list[0]["dimensions"], "1x3");
    EXPECT_EQ(list[0]["values"], nlohmann::json::parse("[0.5, 1.5, 2.5]"));
    EXPECT_EQ(list[1]["name"], "a \"quoted\" name");
    EXPECT_EQ(list[1]["dimensions"], "scalar");
    EXPECT_EQ(list[1]["values"].size(), 1U);
}

TEST(TensorsAsJson, KeepsEmptyTensors) {
    TensorBuffer const empty = tensor("e", Dims{2, {0, 3}});
    EXPECT_EQ(nlohmann::json::parse(tensorsAsJson({&empty}))[0]["values"].size(), 0U);
}

TEST(DumpTensors, PrintsShapeAndValues) {
    Logger logger;
    TensorBuffer const y = tensor("y", Dims{2, {1, 3}});
    testing::internal::CaptureStdout();
    dumpTensors({&y}, logger);
    std::string const text = testing::internal::GetCapturedStdout();
    EXPECT_THAT(text, testing::HasSubstr("[I] Output Tensors:\n"));
    EXPECT_THAT(text, testing::HasSubstr("[I] y: (1x3)\n"));
    EXPECT_THAT(text, testing::HasSubstr("[I] 0.5 1.5 2.5\n"));
}

} // namespace
} // namespace kiln::trtexec
