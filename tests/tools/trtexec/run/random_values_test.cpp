// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/random_values.h"

#include <cstring>
#include <set>

#include <gmock/gmock.h>

#include "run/element.h"
#include "tools/trtexec/failure_text.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;
using nvinfer1::Dims;

constexpr int64_t kCount = 4096;

TensorBuffer filled(std::string const& name, DataType type) {
    TensorBuffer buffer(name, type);
    buffer.resize(Dims{1, {kCount}});
    fillRandom(buffer);
    return buffer;
}

std::vector<double> valuesOf(TensorBuffer const& buffer) {
    std::vector<double> values;
    for (size_t i = 0; i < buffer.count(); ++i) {
        values.push_back(std::stod(elementText(buffer.type(), buffer.data(), i)));
    }
    return values;
}

TEST(FillRandom, GivesTheSameValuesEachTime) {
    TensorBuffer const a = filled("x", DataType::kFLOAT);
    TensorBuffer const b = filled("x", DataType::kFLOAT);
    TensorBuffer const other = filled("y", DataType::kFLOAT);
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.bytes()), 0);
    EXPECT_NE(std::memcmp(a.data(), other.data(), a.bytes()), 0);
}

TEST(FillRandom, GivesTheSameRealsInEveryType) {
    std::vector<double> const reals = valuesOf(filled("x", DataType::kFLOAT));
    TensorBuffer const halves = filled("x", DataType::kHALF);
    TensorBuffer const bfloats = filled("x", DataType::kBF16);
    for (size_t i = 0; i < reals.size(); ++i) {
        ASSERT_EQ(fromHalf(static_cast<uint16_t*>(halves.data())[i]), reals[i]);
        ASSERT_EQ(fromBfloat16(static_cast<uint16_t*>(bfloats.data())[i]), reals[i]);
        ASSERT_TRUE(reals[i] >= -1 && reals[i] < 1);
    }
}

TEST(FillRandom, CoversTheRangeOfIntegers) {
    for (DataType const type : {DataType::kINT8, DataType::kINT32, DataType::kINT64}) {
        std::vector<double> const values = valuesOf(filled("x", type));
        std::set<double> const distinct(values.begin(), values.end());
        EXPECT_EQ(*distinct.begin(), -128);
        EXPECT_EQ(*distinct.rbegin(), 127);
        EXPECT_EQ(distinct.size(), 256U);
    }
    std::vector<double> const flags = valuesOf(filled("x", DataType::kBOOL));
    EXPECT_EQ(std::set<double>(flags.begin(), flags.end()), (std::set<double>{0, 1}));
}

TEST(FillRandom, RefusesTypesThatItDoesNotKnow) {
    EXPECT_EQ(failureText([] { filled("x", DataType::kFP8); }),
              "[run] input 'x': no random values for type FP8. Pass --loadInputs=x:FILE");
}

} // namespace
} // namespace kiln::trtexec
