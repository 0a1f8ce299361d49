// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/kv_cache_update.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class KVCacheUpdateOp : public OpTest {
protected:
    std::vector<TensorFacts> padded() {
        return {floats({2, 3, 8, 4}), floats({2, 3, -1, 4}), input(DataType::kINT32, {2})};
    }
    static KVCacheUpdate packed() {
        KVCacheUpdate op;
        op.form = nvinfer1::AttentionIOForm::kPACKED_NHD;
        return op;
    }
};

TEST_F(KVCacheUpdateOp, KeepsTypeAndShapeOfTheCache) {
    EXPECT_EQ(shape(KVCacheUpdate(), padded()), "[2,3,8,4]");
    std::vector<TensorFacts> tensors = {input(DataType::kHALF, {-1, 3, -2, 4}),
                                        input(DataType::kHALF, {-1, 3, 1, 4}),
                                        input(DataType::kINT64, {-1})};
    EXPECT_EQ(shape(KVCacheUpdate(), tensors), "[-1,3,-1,4]");
    EXPECT_EQ(infer(KVCacheUpdate(), tensors).type, DataType::kHALF);
}

TEST_F(KVCacheUpdateOp, ChecksOperands) {
    std::vector<TensorFacts> tensors = padded();
    tensors[1] = floats({2, 3, 1, 5});
    EXPECT_THAT(problem(KVCacheUpdate(), tensors),
                HasSubstr("update (input 1): expected float32 [2,3,-1,4], got float32 [2,3,1,5]."));
    tensors = padded();
    tensors[2] = input(DataType::kINT32, {3});
    EXPECT_THAT(problem(KVCacheUpdate(), tensors),
                HasSubstr("write indices (input 2): expected int32 or int64 [2], got int32 [3]."));
    tensors = padded();
    tensors[0] = floats({3, 8, 4});
    EXPECT_THAT(problem(KVCacheUpdate(), tensors),
                HasSubstr("expected a cache [batch, heads, capacity, size], got [3,8,4]."));
}

TEST_F(KVCacheUpdateOp, PackedNeedsLengths) {
    std::vector<TensorFacts> tensors = padded();
    tensors[1] = floats({-1, 3, 4});
    EXPECT_THAT(problem(packed(), tensors), HasSubstr("expected lengths (input 3)"));
    tensors.push_back(input(DataType::kINT64, {3}));
    EXPECT_EQ(shape(packed(), tensors), "[2,3,8,4]");
    tensors[3] = input(DataType::kINT64, {2});
    EXPECT_THAT(problem(packed(), tensors),
                HasSubstr("update lengths (input 3): expected int32 or int64 [3], got int64 [2]."));
    throughPlan(packed());
}

} // namespace
} // namespace kiln::graph
