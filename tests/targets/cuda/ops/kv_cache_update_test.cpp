// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/kv_cache_update.h"

#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

TEST(CudaKVCacheUpdate, RowsOfWordsAndOthers) {
    KILN_NEEDS_GPU();
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kINT8}) {
        for (int64_t const size : {5, 16}) {
            std::vector<Values> const inputs = {
                randomTensor(type, makeDims({2, 3, 7, size})),
                randomTensor(type, makeDims({2, 3, 4, size})),
                tensorOf(DataType::kINT64, makeDims({2}), {5.0, -1.0})};
            expectLikeCpu(graph::KVCacheUpdate(), inputs, {});
            expectLikeCpu(graph::KVCacheUpdate(), inputs, {}, 1);
        }
    }
}

TEST(CudaKVCacheUpdate, PackedTokens) {
    KILN_NEEDS_GPU();
    graph::KVCacheUpdate op;
    op.form = nvinfer1::AttentionIOForm::kPACKED_NHD;
    for (std::vector<double> const& lengths :
         {std::vector<double>{0.0, 0.0, 3.0, 8.0}, {0.0, 2.0, 4.0, 5.0}}) {
        expectLikeCpu(op,
                      {randomTensor(DataType::kFLOAT, makeDims({3, 2, 6, 4})),
                       randomTensor(DataType::kFLOAT, makeDims({8, 2, 4})),
                       tensorOf(DataType::kINT32, makeDims({3}), {1.0, 2.0, 3.0}),
                       tensorOf(DataType::kINT32, makeDims({4}), lengths)},
                      {});
    }
}

} // namespace
} // namespace kiln::test
