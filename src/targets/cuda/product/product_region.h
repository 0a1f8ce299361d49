// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "graph/ops/matrix_multiply.h"
#include "graph/ops/region.h"
#include "target/workload/workload.h"
#include "targets/cuda/driver/nvrtc.h"

namespace kiln::targets::cuda {

/// A region of one matrix product and the operations behind it, as product_warpgroups.cuh computes
/// it: rows by columns, with a dense result.
class ProductRegion {
public:
    static constexpr std::size_t kMostOperands = 8;

    /// The region must outlive this object.
    explicit ProductRegion(graph::Region const& region);

    /// Why the region is no such product; empty if it is.
    std::string const& problem() const noexcept { return problem_; }
    /// Why the operations behind the product cannot be generated; empty if they can.
    std::string chainProblem(target::NodeSpec const& node) const;
    /// Whether the right matrix is [terms, columns], else [columns, terms].
    bool isRightByTerms() const;
    /// Numbers of the region's inputs: the matrices, and what the operations behind read.
    std::size_t left() const { return static_cast<std::size_t>(anchorInput(0)); }
    std::size_t right() const { return static_cast<std::size_t>(anchorInput(1)); }
    std::vector<std::size_t> const& operands() const noexcept { return operands_; }

    struct Described {
        int64_t rows = 0;
        int64_t columns = 0;
        int64_t terms = 0;
        int64_t rightStride = 0; ///< from row to row; that of the left matrix is `terms`
        struct Operand {         ///< strides; 0 where one element serves all
            int64_t row = 0;
            int64_t column = 0;
        };
        std::array<Operand, kMostOperands> operands;
    };
    /// Throws kInvalidArgument for shapes that the op does not give, kUnsupported for those that
    /// are not one matrix, or whose operands have other strides.
    Described describe(target::Workload const& workload) const;

    /// The kernel, a function `product`.
    SourceText source(target::NodeSpec const& node) const;

private:
    int32_t anchorInput(std::size_t operand) const {
        return region_.nodes().front().inputs.at(operand);
    }

    graph::Region const& region_;
    graph::MatrixMultiply const* multiply_ = nullptr;
    std::unique_ptr<graph::Region> chain_;
    std::vector<std::size_t> operands_;
    std::string problem_;
};

} // namespace kiln::targets::cuda
