// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/region.h"

#include "graph/op_fixture.h"
#include "graph/ops/activation.h"
#include "graph/ops/cast.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/reduce.h"

namespace kiln::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Op> sum() {
    auto op = std::make_unique<ElementWise>();
    op->operation = nvinfer1::ElementWiseOperation::kSUM;
    return op;
}

/// relu(x + y), and half of it: two results of one region.
std::unique_ptr<Region> addRelu() {
    auto region = std::make_unique<Region>(2);
    int32_t const added = region->add(sum(), {0, 1});
    int32_t const positive = region->add(std::make_unique<Activation>(), {added});
    auto half = std::make_unique<Cast>();
    half->toType = DataType::kHALF;
    int32_t const narrow = region->add(std::move(half), {positive});
    region->setResults({positive, narrow});
    return region;
}

class RegionOp : public OpTest {
protected:
    std::vector<TensorFacts> inferAll(Op const& op, std::vector<TensorFacts> const& inputs) {
        std::vector<TensorFacts> outputs(static_cast<std::size_t>(op.outputCount()));
        InferContext context{pool, "probe", inputs, outputs};
        op.infer(context);
        return outputs;
    }
};

TEST_F(RegionOp, ShapesAndTypesComeFromItsOperations) {
    auto const outputs = inferAll(*addRelu(), {floats({-1, 1}), floats({1, 4})});
    EXPECT_EQ(toText(knownDims(pool, outputs[0].shape)), "[-1,4]");
    EXPECT_EQ(outputs[0].type, DataType::kFLOAT);
    EXPECT_EQ(outputs[1].type, DataType::kHALF);
    EXPECT_THAT(problem(*addRelu(), {floats({2}), floats({3})}),
                HasSubstr("expected equal extents or 1, got 2 and 3"));
    EXPECT_THAT(problem(*addRelu(), {floats({2})}), HasSubstr("expected 2 inputs, got 1"));
}

TEST_F(RegionOp, KnowsItsValues) {
    auto const region = addRelu();
    EXPECT_EQ(region->valueCount(), 5);
    EXPECT_EQ(region->readersOf(0), 1);
    EXPECT_EQ(region->readersOf(4), 0);
    EXPECT_EQ(region->producerOf(1), -1);
    EXPECT_EQ(region->producerOf(2), 0);
    EXPECT_EQ(region->producerOf(4), 2);
    Region::KnownValue const input{DataType::kFLOAT, makeDims({2, 3})};
    auto const values = region->valuesAt(std::vector{input, input});
    EXPECT_EQ(values[4].type, DataType::kHALF);
    EXPECT_EQ(toText(values[4].dims), "[2,3]");
}

TEST_F(RegionOp, SurvivesAPlan) {
    auto const region = addRelu();
    Bytes const bytes = saved(*region);
    auto const again = OpRegistry::instance().load("Region", bytes);
    EXPECT_EQ(saved(*again), bytes);
    EXPECT_EQ(saved(*region->clone()), bytes);
    EXPECT_THAT(static_cast<Region const&>(*again).results(), ElementsAre(3, 4));
}

TEST_F(RegionOp, DamagedBytesAreRefused) {
    Bytes const bytes = saved(*addRelu());
    auto const load = [](Bytes const& damaged) {
        return test::errorOf(ErrorKind::kCorruptData,
                             [&] { OpRegistry::instance().load("Region", damaged); });
    };
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(
            load({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}).empty())
            << length;
    }
    Bytes result = bytes; // the last result
    result[result.size() - 4] = std::byte{5};
    EXPECT_THAT(load(result), HasSubstr("results: expected values 0 to 4, got 5"));
    ByteWriter nested;
    nested.put(uint32_t{0});
    nested.put(uint32_t{1});
    nested.putText("Region");
    EXPECT_THAT(load(nested.take()), HasSubstr("no regions themselves"));
    ByteWriter vast;
    vast.put(UINT32_MAX);
    EXPECT_THAT(load(vast.take()), HasSubstr("expected 0 to 4096 inputs, got 4294967295"));
}

TEST_F(RegionOp, AnOperandOfFixedTypeStaysFixed) {
    auto const region = addRelu();
    EXPECT_EQ(region->typeRule(0, 2), TypeRule::kCompute);
    EXPECT_EQ(region->typeRule(3, 2), TypeRule::kFixed); // what the cast gives
}

} // namespace
} // namespace kiln::graph
