// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/kv_cache_update.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::KVCacheUpdate;

class KVCacheUpdateLayer final : public OpLayer<nvinfer1::IKVCacheUpdateLayer, KVCacheUpdate> {
public:
    using OpLayer::OpLayer;

    bool setCacheMode(nvinfer1::KVCacheMode cacheMode) noexcept override {
        return set("cache mode", [&](KVCacheUpdate& op) { op.mode = cacheMode; });
    }
    nvinfer1::KVCacheMode getCacheMode() const noexcept override { return op().mode; }

    bool setUpdateForm(nvinfer1::AttentionIOForm form) noexcept override {
        return set("update form", [&](KVCacheUpdate& op) { op.form = form; });
    }
    nvinfer1::AttentionIOForm getUpdateForm() const noexcept override { return op().form; }

    bool setUpdateLengths(nvinfer1::ITensor* lengths) noexcept override {
        return core().reporter().guard(false, [&] {
            int32_t const index = KVCacheUpdate::kLengths;
            graph::Tensor* const tensor =
                lengths == nullptr ? nullptr
                                   : &core().network().unwrap(*lengths, core().inputName(index));
            if (tensor != nullptr || core().inputCount() > index) {
                core().network().graph().setNodeInput(core().node(), index, tensor);
            }
            return true;
        });
    }
    nvinfer1::ITensor* getUpdateLengths() const noexcept override {
        return core().input(KVCacheUpdate::kLengths);
    }
};

} // namespace

nvinfer1::IKVCacheUpdateLayer* NetworkDefinition::addKVCacheUpdate(
    nvinfer1::ITensor& cache, nvinfer1::ITensor& update, nvinfer1::ITensor& writeIndices,
    nvinfer1::KVCacheMode cacheMode) noexcept {
    KVCacheUpdate op;
    op.mode = cacheMode;
    return addOpLayer<KVCacheUpdateLayer>(*this, "KV cache update layer", op,
                                          {&cache, &update, &writeIndices});
}

} // namespace kiln::api
