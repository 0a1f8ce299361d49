// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/kv_cache_update.h"

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

TEST(KVCacheUpdateKernels, RowsOutsideAreLeftOut) {
    for (DataType const type : {DataType::kFLOAT, DataType::kBF16, DataType::kINT8}) {
        Values const cache = randomTensor(type, makeDims({2, 3, 6, 4}));
        Values const update = randomTensor(type, makeDims({2, 3, 3, 4}));
        std::vector<int64_t> const starts = {4, -1};
        Values const places = tensorOf(DataType::kINT32, makeDims({2}), {4.0, -1.0});
        expectAll(graph::KVCacheUpdate(), {cache, update, places},
                  [&](std::vector<int64_t> const& at) {
                      int64_t const row = at[2] - starts[static_cast<std::size_t>(at[0])];
                      return row >= 0 && row < 3 ? update.at({at[0], at[1], row, at[3]})
                                                 : cache.at({at[0], at[1], at[2], at[3]});
                  },
                  {});
    }
}

TEST(KVCacheUpdateKernels, LengthsBeyondTheUpdate) {
    graph::KVCacheUpdate packed;
    packed.form = nvinfer1::AttentionIOForm::kPACKED_NHD;
    Values const cache = randomTensor(DataType::kFLOAT, makeDims({2, 1, 4, 2}));
    Values const update = randomTensor(DataType::kFLOAT, makeDims({3, 1, 2}));
    Values const places = tensorOf(DataType::kINT64, makeDims({2}), {0.0, 0.0});
    Values const lengths = tensorOf(DataType::kINT64, makeDims({3}), {-5.0, 2.0, 1e9});
    expectAll(packed, {cache, update, places, lengths},
              [&](std::vector<int64_t> const& at) {
                  int64_t const token = at[0] == 0 ? at[2] : at[2] + 2;
                  bool const isNew = at[0] == 0 ? at[2] < 2 : at[2] < 1;
                  return isNew ? update.at({token, at[1], at[3]})
                               : cache.at({at[0], at[1], at[2], at[3]});
              },
              {});
}

} // namespace
} // namespace kiln::test
