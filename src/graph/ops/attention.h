// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "graph/op_base.h"

namespace kiln::graph {

/// softmax(scale * Q K^T + mask) V for each head: scaled dot-product attention. Source: Vaswani et
/// al., "Attention is all you need", 2017.
///
/// Operands: Q, K, V and an optional mask. The compiler makes this op of products, softmax and the
/// transposes around them, so each operand has a layout of its own. Head h of Q reads head
/// h / (heads / keyHeads) of K and V. A batch of 1 of K or V serves the whole batch.
///
/// The mask is broadcast to [batch, heads, queries, keys], or to [batch, queries, keys] if there is
/// one head. A floating-point mask is added to the scaled scores; a boolean one selects keys. A
/// query without any key gives NaN, as SoftMax does, or 0.
class Attention final : public OpBase<Attention> {
public:
    static constexpr std::string_view kKind = "Attention";
    static constexpr auto kLayerType = nvinfer1::LayerType::kATTENTION_INPUT;

    enum Role : int32_t { kQuery = 0, kKey = 1, kValue = 2, kMask = 3 };
    static constexpr std::size_t kOutput = 3; ///< index of the output in `layouts`

    /// The order of axes of an operand.
    enum class Layout : int32_t {
        kHeadsFirst,    ///< [batch, heads, length, size]
        kLengthFirst,   ///< [batch, length, heads, size]
        kChannelsFirst, ///< [batch, heads, size, length]
        kJoined, ///< [batch, length, width]; the heads are `heads * size` channels from an offset
    };
    static constexpr int32_t kLayoutCount = 4;

    /// Which keys a query sees besides the mask.
    enum class Causal : int32_t {
        kNone,      ///< all
        kFromStart, ///< key <= query
        kFromEnd,   ///< key <= query + keys - queries: the last query sees all keys
    };

    std::array<Layout, 4> layouts{}; ///< of Q, K, V, output
    /// The first channel of Q, K and V; not 0 only in kJoined, where they may be slices of one
    /// tensor.
    std::array<int64_t, 3> offsets{};
    int64_t heads = 1;     ///< of Q and of the output
    int64_t keyHeads = 1;  ///< of K and V; divides `heads`
    int64_t size = 1;      ///< channels of one head of Q and K
    int64_t valueSize = 1; ///< of V and of the output
    float scale = 1.0F;
    Causal causal = Causal::kNone;
    bool maskDrops = false;   ///< a boolean mask is true for keys that are not seen
    bool emptyIsZero = false; ///< a query without any key gives 0, not NaN

    /// Axis numbers of a layout; -1: none.
    struct Axes {
        int32_t batch = 0;
        int32_t head = 1;
        int32_t length = 2;
        int32_t channel = 3;

        int32_t rank() const { return head < 0 ? 3 : 4; }
    };
    static Axes axesOf(Layout layout);
    /// Heads and channels of each, of an operand or of the output (kOutput).
    int64_t headsOf(std::size_t operand) const;
    int64_t sizeOf(std::size_t operand) const;
    /// How many of the last axes the mask describes: 4, or 3 without the head.
    int32_t maskRank(int32_t rank) const { return rank == 3 && heads == 1 ? 3 : 4; }

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.layouts, self.offsets, self.heads, self.keyHeads, self.size, self.valueSize,
              self.scale, self.causal, self.maskDrops, self.emptyIsZero);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    bool mayBeAbsent(int32_t operand) const override { return operand == kMask; }

private:
    void checkOperand(InferContext const& context, std::size_t operand) const;
    void checkMask(InferContext const& context) const;
};

} // namespace kiln::graph
