// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "graph/op.h"

namespace kiln::graph {

/// Several operations with values of their own, as one operation. A backend runs a region as one
/// kernel, or refuses it with a reason.
///
/// Values are numbered: first the inputs of the region, then the outputs of its nodes in order. A
/// node reads only values with lower numbers than its own outputs. Regions do not nest.
class Region final : public Op {
public:
    static constexpr std::string_view kKind = "Region";
    static constexpr int32_t kAbsent = -1; ///< an operand that is not there

    struct Node {
        std::unique_ptr<Op> op;
        std::vector<int32_t> inputs; ///< values of the region; kAbsent where there is none
    };

    explicit Region(int32_t inputCount) : inputCount_(inputCount) {}

    /// Adds a node and returns the value of its first output. Throws kInternal if an operand is no
    /// value that exists.
    int32_t add(std::unique_ptr<Op> op, std::vector<int32_t> inputs);
    /// The values that are the outputs of the region, in order.
    void setResults(std::vector<int32_t> results);

    int32_t inputCount() const noexcept { return inputCount_; }
    int32_t valueCount() const noexcept { return valueCount_; }
    std::vector<Node> const& nodes() const noexcept { return nodes_; }
    std::vector<int32_t> const& results() const noexcept { return results_; }
    /// The value of a node's first output.
    int32_t firstOutput(std::size_t node) const { return firstOutputs_.at(node); }
    /// How often nodes read a value; results do not count.
    int32_t readersOf(int32_t value) const;
    /// The node that produces a value; -1 for inputs of the region.
    int32_t producerOf(int32_t value) const;

    /// Facts of all values, given those of the inputs. Throws what the nodes' infer() throws.
    std::vector<TensorFacts> facts(ExprPool& pool, std::string_view layer,
                                   std::span<TensorFacts const> inputs) const;
    /// Element types and extents of all values at known extents of the inputs.
    struct KnownValue {
        DataType type;
        Dims dims;
    };
    std::vector<KnownValue> valuesAt(std::span<KnownValue const> inputs) const;

    std::string_view kind() const override { return kKind; }
    /// That of the first node.
    nvinfer1::LayerType layerType() const override;
    int32_t outputCount() const override { return static_cast<int32_t>(results_.size()); }
    void infer(InferContext& context) const override;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;
    std::unique_ptr<Op> clone() const override;
    void save(ByteWriter& writer) const override;
    /// Throws kCorruptData unless the bytes are those of a valid region.
    static std::unique_ptr<Op> load(ByteReader& reader);

private:
    int32_t inputCount_;
    int32_t valueCount_ = inputCount_;
    std::vector<Node> nodes_;
    std::vector<int32_t> firstOutputs_; ///< by node
    std::vector<int32_t> results_;
};

} // namespace kiln::graph
