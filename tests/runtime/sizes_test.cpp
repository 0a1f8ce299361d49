// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/sizes.h"

#include <gmock/gmock.h>

#include "target/backend_registry.h"

namespace kiln::runtime {
namespace {

using graph::ExprOp;
using testing::ElementsAre;
using testing::IsEmpty;

/// Step 0 writes size tensor 0 (int32), step 1 size tensor 1 (int64).
class SizesTest : public ::testing::Test {
protected:
    static plan::Document sample() {
        plan::Document document;
        document.exprs = {{ExprOp::kConstant, 0, 0, 100},
                          {ExprOp::kSizeTensor, 0, 0, 0},
                          {ExprOp::kSizeTensor, 1, 0, 0}};
        document.tensors.resize(2);
        document.tensors[0].type.type = DataType::kINT32;
        document.tensors[1].type.type = DataType::kINT64;
        document.steps.resize(2);
        document.steps[0].outputs = {0};
        document.steps[1].outputs = {1};
        return document;
    }
    void write(int32_t first, int64_t second, Sizes::Arrival arrival) {
        sizes.copy(0, &first, nullptr);
        sizes.expect(0, arrival);
        sizes.copy(1, &second, nullptr);
        sizes.expect(1, arrival);
    }

    plan::Document document = sample();
    SizePoints points{document};
    Sizes sizes{*target::BackendRegistry::instance().open("cpu").device(), document, points};
};

TEST_F(SizesTest, ArriveInTheOrderOfTheSteps) {
    EXPECT_FALSE(sizes.pending());
    write(7, int64_t{1} << 40, Sizes::Arrival::kWithStream);
    EXPECT_TRUE(sizes.pending());
    sizes.mark(nullptr);
    EXPECT_THAT(sizes.await(), ElementsAre(0, 1));
    EXPECT_EQ(sizes.value(0), 7);
    EXPECT_EQ(sizes.value(1), int64_t{1} << 40);
    EXPECT_FALSE(sizes.pending());
    EXPECT_THAT(sizes.await(), IsEmpty());
}

TEST_F(SizesTest, OfAGraphArriveWithEachLaunch) {
    write(7, 8, Sizes::Arrival::kWithGraph);
    EXPECT_THAT(sizes.await(), ElementsAre(0, 1));
    EXPECT_THAT(sizes.await(), ElementsAre(0, 1));
    sizes.forget();
    EXPECT_FALSE(sizes.pending());
}

TEST_F(SizesTest, AreTakenByARunThatWaited) {
    write(7, 8, Sizes::Arrival::kWithStream);
    EXPECT_THAT(sizes.take(), ElementsAre(0, 1));
    EXPECT_FALSE(sizes.pending());
}

} // namespace
} // namespace kiln::runtime
