// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/attention_enums.h"
#include "kiln/api/network/kv_cache_mode.h"

namespace kiln::graph {

/// Writes new rows into a cache, from a position of each sequence on. The output uses the memory of
/// the cache.
///
/// Operands: cache [batch, heads, capacity, size]; update [batch, heads, length, size], or packed
/// [tokens, heads, size]; first positions [batch]; lengths [batch], or packed [batch + 1]: the
/// first token of each sequence. Lengths may be absent unless the update is packed.
class KVCacheUpdate final : public OpBase<KVCacheUpdate> {
public:
    static constexpr std::string_view kKind = "KVCacheUpdate";
    static constexpr auto kLayerType = nvinfer1::LayerType::kKVCACHE_UPDATE;

    enum Role : int32_t { kCache = 0, kUpdate = 1, kStarts = 2, kLengths = 3 };

    nvinfer1::KVCacheMode mode = nvinfer1::KVCacheMode::kLINEAR;
    nvinfer1::AttentionIOForm form = nvinfer1::AttentionIOForm::kPADDED_BHND;

    bool isPacked() const { return form == nvinfer1::AttentionIOForm::kPACKED_NHD; }

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.mode, self.form);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    /// Data is only moved, and the cache is the user's.
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }

private:
    void checkUpdate(InferContext const& context) const;
    void checkIntegers(InferContext const& context, Role role) const;
};

} // namespace kiln::graph
