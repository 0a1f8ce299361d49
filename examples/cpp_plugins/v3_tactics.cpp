// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Custom tactics: a transposition by rows or by blocks. The builder times both for the network's
// shapes and stores the faster one in the plan, and also in the timing cache, because the plugin
// has an id for it.
#include "plugin_v3.h"

#include <algorithm>

namespace {

using namespace nvinfer1;

constexpr int32_t kByRows = 1;
constexpr int32_t kByBlocks = 2;
constexpr int64_t kBlock = 16; // one block of floats in and out: 2 KB, well within the L1 cache

class Transpose : public example::PluginV3<Transpose> {
public:
    static constexpr char const* kName = "Transpose";

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t,
                            DimsExprs* outputs, int32_t, IExprBuilder&) noexcept override {
        outputs[0].nbDims = 2;
        outputs[0].d[0] = inputs[0].d[1];
        outputs[0].d[1] = inputs[0].d[0];
        return 0;
    }

    int32_t getNbTactics() noexcept override { return 2; }
    int32_t getValidTactics(int32_t* tactics, int32_t) noexcept override {
        tactics[0] = kByRows;
        tactics[1] = kByBlocks;
        return 0;
    }
    char const* getTimingCacheID() noexcept override { return ""; } // no attributes

    // Called during timing, and with the plan's tactic before the first enqueue.
    int32_t setTactic(int32_t tactic) noexcept override {
        block_ = tactic == kByBlocks ? kBlock : 1;
        return tactic == kByRows || tactic == kByBlocks ? 0 : 1;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t) noexcept override {
        auto const* const x = static_cast<float const*>(inputs[0]);
        auto* const y = static_cast<float*>(outputs[0]);
        int64_t const rows = inputDesc[0].dims.d[0];
        int64_t const columns = inputDesc[0].dims.d[1];
        int64_t const width = block_ == 1 ? columns : block_;
        for (int64_t i = 0; i < rows; i += block_) {
            for (int64_t j = 0; j < columns; j += width) {
                for (int64_t row = i; row < std::min(i + block_, rows); ++row) {
                    for (int64_t column = j; column < std::min(j + width, columns); ++column) {
                        y[column * rows + row] = x[row * columns + column];
                    }
                }
            }
        }
        return 0;
    }

private:
    int64_t block_ = 1;
};

using TransposeCreator = example::CreatorV3<Transpose>;
REGISTER_TENSORRT_PLUGIN(TransposeCreator);

} // namespace
