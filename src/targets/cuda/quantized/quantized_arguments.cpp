// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/quantized_arguments.h"

#include <algorithm>

#include "target/workload/node_at.h"
#include "targets/cuda/blaslt/matrix_product.h"
#include "targets/cuda/quantized/quantized_weights.h"

namespace kiln::targets::cuda {
namespace {

using target::NodeAt;
using target::NodeSpec;
using target::OperandSpec;
using target::Workload;

constexpr int64_t kStepTerms = 64; // as in kernels/quantized_product.cuh

QuantizedAxis axisOf(target::ConvolutionWorkload::Axis const& axis) {
    return {static_cast<int32_t>(axis.input),    static_cast<int32_t>(axis.output),
            static_cast<int32_t>(axis.size),     static_cast<int32_t>(axis.stride),
            static_cast<int32_t>(axis.dilation), static_cast<int32_t>(axis.before)};
}

/// Describes a region at known shapes; the weights are packed or not.
class Describer {
public:
    Describer(QuantizedRegion const& region, Workload const& workload, bool packed)
        : region_(region), workload_(workload), result_(workload.outputs[0]), packed_(packed) {}

    /// Throws kInvalidArgument for shapes that the op does not give, kUnsupported for others.
    QuantizedArguments describe() {
        target::checkWorkload(region_.region(), workload_);
        arguments_.packed = packed_ ? 1 : 0;
        if (region_.isConvolution()) {
            describeConvolution();
        } else {
            describeProduct();
        }
        arguments_.paddedTerms = static_cast<int32_t>(paddedTerms(arguments_.terms));
        int64_t const all = std::max<int64_t>(arguments_.taps, 1) * arguments_.paddedTerms;
        arguments_.steps =
            arguments_.terms == 0 ? 0 : static_cast<int32_t>((all + kStepTerms - 1) / kStepTerms);
        arguments_.allRows = columns_ == 0 ? 0 : volume(result_, "quantized product") / columns_;
        describeWidths();
        describeBehind();
        return arguments_;
    }

private:
    void describeConvolution() {
        target::ConvolutionWorkload const c = region_.convolutionAt(workload_);
        int64_t const channels = c.channels * c.groups;
        int64_t const taps = c.depth.size * c.height.size * c.width.size;
        int64_t const padded = paddedTerms(c.channels);
        arguments_.rows = c.batch * c.outputPlane();
        checkSizes(arguments_.rows, c.maps, taps * padded);
        arguments_.leftRow = channels;
        arguments_.leftTerm = 1;
        arguments_.rightColumn = taps * (packed_ ? padded : c.channels);
        arguments_.rightTerm = 1;
        arguments_.resultRow = c.maps;
        arguments_.columns = static_cast<int32_t>(c.maps / c.groups);
        arguments_.terms = static_cast<int32_t>(c.channels);
        arguments_.taps = static_cast<int32_t>(taps);
        arguments_.depth = axisOf(c.depth);
        arguments_.height = axisOf(c.height);
        arguments_.width = axisOf(c.width);
        columns_ = c.maps;
        if (c.groups > 1) {
            addLoop({static_cast<int32_t>(c.groups), c.channels,
                     arguments_.columns * arguments_.rightColumn, 0, arguments_.columns});
        }
    }

    void describeProduct() {
        target::MatrixWorkload const product =
            target::matrixWorkload(region_.multiply(), workload_.inputs[region_.left()],
                                   workload_.inputs[region_.right()], result_);
        std::vector<BatchLoop> loops = batchLoops(product);
        arguments_.rows = foldRows(product, loops);
        checkSizes(arguments_.rows, product.columns, product.inner);
        arguments_.leftRow = product.left.kept;
        arguments_.leftTerm = product.left.summed;
        arguments_.rightColumn = packed_ ? paddedTerms(product.inner) : product.right.kept;
        arguments_.rightTerm = packed_ ? 1 : product.right.summed;
        arguments_.resultRow = product.columns;
        arguments_.columns = static_cast<int32_t>(product.columns);
        arguments_.terms = static_cast<int32_t>(product.inner);
        columns_ = product.columns;
        int64_t const row = std::max<int64_t>(product.columns, 1);
        for (BatchLoop const& loop : loops) {
            addLoop(
                {static_cast<int32_t>(loop.extent), loop.left, loop.right, loop.result / row, 0});
        }
    }

    void checkSizes(int64_t rows, int64_t columns, int64_t terms) const {
        constexpr int64_t kMost = int64_t{1} << 30;
        if (rows >= kMost || columns >= kMost || terms >= kMost) {
            failQuantizedSize(result_);
        }
    }

    void addLoop(QuantizedLoop const& loop) {
        arguments_.batch[static_cast<std::size_t>(arguments_.loops++)] = loop;
    }

    /// Words of 16 bytes, and results of four elements, may be moved at once if they begin at
    /// multiples of their size.
    void describeWidths() {
        auto const groups = [](int64_t number) { return number % kTermGroup == 0; };
        bool left = arguments_.leftTerm == 1 && groups(arguments_.terms) &&
                    (groups(arguments_.leftRow) || arguments_.rows <= 1);
        bool right = arguments_.rightTerm == 1 && (packed_ || groups(arguments_.terms)) &&
                     groups(arguments_.rightColumn);
        bool results = arguments_.resultRow % 4 == 0;
        for (int32_t i = 0; i < arguments_.loops; ++i) {
            QuantizedLoop const& loop = arguments_.batch[i];
            left = left && groups(loop.left);
            right = right && groups(loop.right);
            results = results && loop.column % 4 == 0;
        }
        arguments_.wideLeft = left ? 1 : 0;
        arguments_.wideRight = right ? 1 : 0;
        arguments_.wideResults = results ? 1 : 0;
    }

    void describeBehind() {
        if (volume(workload_.inputs[region_.leftScale()], "scale") != 1) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] Region: expected one scale of the first operand, got {}. Build the plan "
                 "for this shape.",
                 toText(workload_.inputs[region_.leftScale()]));
        }
        arguments_.scaleColumn = region_.scaleStride(
            workload_.inputs[region_.right()], workload_.inputs[region_.rightScale()], columns_);
        for (std::size_t i = 0; i < region_.operands().size(); ++i) {
            std::size_t const input = region_.operands()[i];
            QuantizedRegion::Strides const strides = region_.stridesOf(
                workload_.inputs[input], workload_.inputTypes[input].format, result_);
            arguments_.rowStrides[i] = strides.row;
            arguments_.columnStrides[i] = static_cast<int32_t>(strides.column);
        }
    }

    QuantizedRegion const& region_;
    Workload const& workload_;
    Dims const& result_;
    bool packed_;
    int64_t columns_ = 0; ///< of the result
    QuantizedArguments arguments_{};
};

/// Groups of a convolution fill tiles badly if they are small.
std::string refuseConvolution(QuantizedRegion const& region, NodeSpec const& node) {
    OperandSpec const& weights = node.inputs[region.right()];
    if (!weights.constant) {
        return "expected kernel weights that are constants";
    }
    constexpr int64_t kLeast = 16;
    int64_t const groups = region.convolution().groups;
    if (groups > 1 && (weights.opt.d[1] < kLeast || weights.opt.d[0] / groups < kLeast)) {
        return fmt::format("expected groups of {} channels and maps or more", kLeast);
    }
    return {};
}

} // namespace

void failQuantizedSize(Dims const& result) {
    fail(ErrorKind::kUnsupported,
         "[cuda] Region: expected a quantized product of less than 2^30 rows, columns and terms, "
         "got a result of {}. Build the plan for this shape.",
         toText(result));
}

QuantizedArguments describeQuantized(QuantizedRegion const& region, Workload const& workload,
                                     bool packed) {
    return Describer(region, workload, packed).describe();
}

bool packsWeights(QuantizedRegion const& region, NodeSpec const& node) {
    OperandSpec const& weights = node.inputs[region.right()];
    return weights.constant && isOneMatrix(region, weights.opt) && !isOrdered(region, weights.opt);
}

std::string refuseQuantized(NodeSpec const& node) {
    QuantizedRegion const region(static_cast<graph::Region const&>(node.op));
    std::string reason = region.problem();
    reason = reason.empty() ? region.nodeProblem(node) : reason;
    if (reason.empty() && region.isConvolution()) {
        reason = refuseConvolution(region, node);
    }
    if (!reason.empty()) {
        return reason;
    }
    try {
        for (auto const corner : NodeAt::kPoints) {
            NodeAt const at(node, corner);
            Workload const workload = at.workload();
            static_cast<void>(describeQuantized(region, workload, packsWeights(region, node)));
        }
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

} // namespace kiln::targets::cuda
