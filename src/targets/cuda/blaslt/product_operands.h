// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph/ops/convolution.h"
#include "graph/ops/matrix_multiply.h"
#include "target/workload/workload.h"
#include "targets/cuda/anchor/anchored_region.h"
#include "targets/cuda/blaslt/matmul_plan.h"

namespace kiln::targets::cuda {

/// An op that is a matrix product for cuBLASLt: a MatrixMultiply; a Convolution with a window of
/// one position and channels last, which multiplies all positions by the kernel weights; or a
/// Region of one of these, a factor, additions and a last ReLU or GELU.
class ProductOperands {
public:
    /// `problem()` says why the op is no such product. The op must outlive this object.
    ProductOperands(graph::Op const& op, std::size_t inputCount);

    std::string const& problem() const noexcept { return problem_; }
    bool isConvolution() const noexcept { return convolution_ != nullptr; }

    /// Numbers of the op's inputs.
    std::size_t left() const { return static_cast<std::size_t>(anchor_[0]); }
    std::size_t right() const;
    /// Inputs that are added to the product, in any order.
    std::vector<std::size_t> const& added() const noexcept { return added_; }
    /// The input that is a factor of the product, a constant of one element; -1: none.
    int32_t factor() const noexcept { return factor_; }
    bool dividesByFactor() const noexcept { return divides_; }

    /// Why the formats of the operands do not suit; empty if they do.
    std::string formatProblem(std::span<target::OperandType const> inputs,
                              target::OperandType const& output, int32_t rank) const;

    /// The product at known shapes.
    struct Described {
        MatrixProduct product;
        MatmulEpilogue epilogue;
        int32_t bias = -1;   ///< number of the op's input
        int32_t addend = -1; ///< number of the op's input
    };
    /// Throws kInvalidArgument for shapes that the op does not give, kUnsupported for additions
    /// that cuBLASLt does not have.
    Described describe(target::Workload const& workload) const;

    /// Multiplications and additions at the optimum shapes.
    double operations(target::NodeSpec const& node) const;

private:
    void setAnchor(graph::Op const& anchor);
    MatrixProduct productOf(target::Workload const& workload) const;

    graph::Op const& op_;
    graph::MatrixMultiply const* multiply_ = nullptr;
    graph::Convolution const* convolution_ = nullptr;
    std::vector<int32_t> anchor_;
    std::vector<std::size_t> added_;
    int32_t factor_ = -1;
    bool divides_ = false;
    MatmulEpilogue::Function function_ = MatmulEpilogue::Function::kNone;
    std::string problem_;
};

} // namespace kiln::targets::cuda
