// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "graph/ops/convolution.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/region.h"
#include "target/workload/convolution.h"
#include "target/workload/workload.h"

namespace kiln::targets::cuda {

/// A region of two dequantizations, the product or convolution between them, and the pointwise
/// operations behind: what keepQuantized() and formRegions() of the compiler make. The anchor may
/// multiply the quantized numbers; the scales follow. Or a region of a product of which only the
/// second operand, the weights, is dequantized.
class QuantizedRegion {
public:
    enum class Sources : uint8_t { kBoth, kWeights };
    static constexpr std::size_t kMostOperands = 8;

    /// The region must outlive this object.
    explicit QuantizedRegion(graph::Region const& region, Sources sources = Sources::kBoth);

    /// Why the region is no such region; empty if it is.
    std::string const& problem() const noexcept { return problem_; }
    /// Why types, formats, scales or operands behind the anchor do not suit; empty if they do.
    std::string nodeProblem(target::NodeSpec const& node) const;
    /// Why the formats do not: linear for products; channels last for convolutions, weights apart.
    std::string formatProblem(std::span<target::OperandType const> inputs,
                              target::OperandType const& output, int32_t rank) const;

    graph::Region const& region() const noexcept { return region_; }
    bool isConvolution() const noexcept { return convolution_ != nullptr; }
    graph::MatrixMultiply const& multiply() const { return *multiply_; }
    graph::Convolution const& convolution() const { return *convolution_; }
    /// Numbers of the region's inputs; `bias` is -1 if there is none.
    std::size_t left() const noexcept { return anchor_ == 1 ? at(1, 0) : at(0, 0); }
    std::size_t right() const noexcept { return at(anchor_ - 1, 0); }
    std::size_t leftScale() const noexcept { return at(0, 1); } ///< of two sources
    std::size_t rightScale() const noexcept { return at(anchor_ - 1, 1); }
    int32_t bias() const noexcept { return bias_; }
    /// Those that the operations behind the anchor read.
    std::vector<std::size_t> const& operands() const noexcept { return operands_; }

    /// The operations behind the anchor as a region of the same inputs and one more for each value
    /// up to the anchor's, which is the last. It has no nodes if there are none.
    graph::Region const& chain() const noexcept { return *chain_; }
    /// The chain as a node: see chain().
    struct ChainNode;

    /// The anchor's operands at known shapes: `convolution` or `product` is the one that it is.
    target::ConvolutionWorkload convolutionAt(target::Workload const& all) const;

    /// The axis of the weights with one index for each column of the result.
    int32_t columnAxis(int32_t rank) const;
    /// 0 if one scale serves all columns, 1 if each has its own. Throws kUnsupported for others.
    int32_t scaleStride(Dims const& right, Dims const& scale, int64_t columns) const;
    /// The steps from row to row and from column to column of an operand behind the anchor. Rows
    /// and columns are those of the result in memory. Throws kUnsupported for others.
    struct Strides {
        int64_t row = 0;
        int64_t column = 0;
    };
    Strides stridesOf(Dims const& operand, TensorFormat format, Dims const& result) const;

    /// Why the operations behind the anchor cannot be generated; empty if they can.
    std::string chainProblem(target::NodeSpec const& node) const;

    /// Multiplications and additions at the optimum shapes.
    double operations(target::NodeSpec const& node) const;

private:
    std::size_t at(std::size_t node, std::size_t operand) const {
        return static_cast<std::size_t>(region_.nodes()[node].inputs[operand]);
    }
    std::string anchorProblem();

    graph::Region const& region_;
    std::size_t anchor_; ///< its node, behind the dequantizations
    graph::MatrixMultiply const* multiply_ = nullptr;
    graph::Convolution const* convolution_ = nullptr;
    int32_t bias_ = -1;
    std::unique_ptr<graph::Region> chain_;
    std::vector<std::size_t> operands_;
    std::string problem_;
};

/// The operations behind the anchor as a node, for generated code.
struct QuantizedRegion::ChainNode {
    ChainNode(QuantizedRegion const& region, target::NodeSpec const& whole);
    ChainNode(ChainNode const&) = delete;
    ChainNode& operator=(ChainNode const&) = delete;

    std::vector<target::OperandSpec> inputs;
    target::NodeSpec node;
};

/// int8 or uint8.
bool isInteger8(DataType type) noexcept;

} // namespace kiln::targets::cuda
