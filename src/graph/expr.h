// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/dims.h"
#include "graph/expr_node.h"
#include "graph/linear_form.h"
#include "kiln/api/dimension_expr.h"

namespace kiln::graph {

/// Provides the values of expression leaves.
class LeafValues {
public:
    virtual ~LeafValues() = default;
    /// Value of a leaf (kInputExtent, kShapeValue).
    virtual int64_t leaf(ExprNode const& node) const = 0;
    /// Value of a size tensor, given the values of its optimum and upper bound.
    virtual int64_t sizeTensor(int32_t tensor, int64_t optimum, int64_t upperBound) const {
        static_cast<void>(tensor);
        static_cast<void>(optimum);
        return upperBound;
    }
};

/// Computes the values of all nodes; operands must precede users. Throws kInvalidArgument on
/// overflow, on division by zero and for real numbers that are not finite. values.size() ==
/// nodes.size(). Does not allocate, because contexts call it at every shape change.
void evaluate(std::span<ExprNode const> nodes, LeafValues const& leaves, std::span<int64_t> values);
/// As above, only for the nodes in `which`. Their operands precede them there or have their values.
void evaluate(std::span<ExprNode const> nodes, LeafValues const& leaves, std::span<int64_t> values,
              std::span<ExprRef const> which);

/// Symbolic extents of one network. Equal expressions share one node (hash-consing), constants are
/// folded, and sums of equal form are one node: (x + 1) + 1 is x + 2, and x + 3 - x is 3. So
/// `a == b` on references means "certainly equal".
class ExprPool {
public:
    ExprRef constant(int64_t value);
    ExprRef inputExtent(int32_t input, int32_t axis);
    ExprRef shapeValue(int32_t input, int32_t element);
    ExprRef sizeTensor(int32_t tensor, ExprRef optimum, ExprRef upperBound);
    /// A unique number for a new size tensor.
    int32_t newSizeTensor() noexcept { return sizeTensors_++; }

    /// `op` is one of the binary operations (kSum and above). Sum, difference, product, maximum and
    /// minimum of a real operand are those of real numbers; an integer operand is converted.
    ExprRef binary(ExprOp op, ExprRef a, ExprRef b);
    ExprRef binary(nvinfer1::DimensionOperation op, ExprRef a, ExprRef b);

    // An expression is an integer or a real number; extents and values of tensors are integers.
    /// Throws kInvalidArgument unless the number is finite.
    ExprRef real(double number);
    /// kToReal, kSingle, kFloor, kCeil or kRound. What already is a real number, or an integer,
    /// stays as it is.
    ExprRef unary(ExprOp op, ExprRef a);
    bool isReal(ExprRef ref) const { return graph::isReal(node(ref).op); }

    ExprNode const& node(ExprRef ref) const { return nodes_.at(static_cast<std::size_t>(ref)); }
    bool isConstant(ExprRef ref) const { return node(ref).op == ExprOp::kConstant; }
    /// Value of a constant node, else `otherwise`. The default -1 is the API's unknown extent.
    int64_t constantOr(ExprRef ref, int64_t otherwise = -1) const;
    std::span<ExprNode const> nodes() const { return nodes_; }
    LinearForms const& forms() const noexcept { return forms_; }

    std::string toText(ExprRef ref) const;

private:
    ExprRef intern(ExprNode const& node);
    ExprRef binaryReal(ExprOp op, ExprRef a, ExprRef b);
    std::optional<ExprRef> ordered(ExprOp op, ExprRef a, ExprRef b);

    int32_t sizeTensors_ = 0;
    std::vector<ExprNode> nodes_;
    LinearForms forms_; ///< of the nodes
    std::map<std::tuple<ExprOp, int32_t, int32_t, int64_t>, ExprRef> known_;
    std::map<LinearForm, ExprRef> sums_; ///< the first node of each form
};

/// Symbolic dimensions of one tensor.
struct ShapeExpr {
    int32_t rank = 0;
    std::array<ExprRef, nvinfer1::Dims::MAX_DIMS> extent{};

    ExprRef operator[](int32_t axis) const { return extent[static_cast<std::size_t>(axis)]; }
    ExprRef& operator[](int32_t axis) { return extent[static_cast<std::size_t>(axis)]; }
    bool operator==(ShapeExpr const& other) const;
};

ShapeExpr constantShape(ExprPool& pool, nvinfer1::Dims const& dims);

/// -1 where an extent is not a constant.
nvinfer1::Dims knownDims(ExprPool const& pool, ShapeExpr const& shape);

/// Dimensions of a shape, given the values of all nodes.
nvinfer1::Dims dimsFrom(ShapeExpr const& shape, std::span<int64_t const> values);

} // namespace kiln::graph
