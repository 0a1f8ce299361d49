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
#include "kiln/api/dimension_expr.h"

namespace kiln::graph {

/// Index of a node in an ExprPool or in the expression table of a plan, which is a serialized pool.
using ExprRef = int32_t;

/// Node kinds of symbolic extents. Values are part of the plan format: append only.
enum class ExprOp : uint8_t {
    kConstant = 0,    ///< value
    kInputExtent = 1, ///< extent b of network input a
    kShapeValue = 2,  ///< element b of the host values of network input a
    kSizeTensor = 3,  ///< run-time value of size tensor a; nodes b: bound, `value`: optimum
    kSum = 16,
    kProd = 17,
    kMax = 18,
    kMin = 19,
    kSub = 20,
    kEqual = 21,
    kLess = 22,
    kFloorDiv = 23,
    kCeilDiv = 24,
    kTruncDiv = 25, ///< rounds towards zero, as in C++
};

struct ExprNode {
    ExprOp op = ExprOp::kConstant;
    int32_t a = 0;
    int32_t b = 0;
    int64_t value = 0; ///< constant: its value; size tensor: node of the optimum
};

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
/// overflow and on division by zero. values.size() == nodes.size(). Does not allocate, because
/// contexts call it at every shape change.
void evaluate(std::span<ExprNode const> nodes, LeafValues const& leaves, std::span<int64_t> values);
/// As above, only for the nodes in `which`. Their operands precede them there or have their values.
void evaluate(std::span<ExprNode const> nodes, LeafValues const& leaves, std::span<int64_t> values,
              std::span<ExprRef const> which);

/// Symbolic extents of one network. Equal expressions share one node (hash-consing) and constants
/// are folded, so `a == b` on references means "certainly equal".
class ExprPool {
public:
    ExprRef constant(int64_t value);
    ExprRef inputExtent(int32_t input, int32_t axis);
    ExprRef shapeValue(int32_t input, int32_t element);
    ExprRef sizeTensor(int32_t tensor, ExprRef optimum, ExprRef upperBound);
    /// A unique number for a new size tensor.
    int32_t newSizeTensor() noexcept { return sizeTensors_++; }

    /// `op` is one of the binary operations (kSum and above).
    ExprRef binary(ExprOp op, ExprRef a, ExprRef b);
    ExprRef binary(nvinfer1::DimensionOperation op, ExprRef a, ExprRef b);

    ExprNode const& node(ExprRef ref) const { return nodes_.at(static_cast<std::size_t>(ref)); }
    bool isConstant(ExprRef ref) const { return node(ref).op == ExprOp::kConstant; }
    /// Value of a constant node, else `otherwise`. The default -1 is the API's unknown extent.
    int64_t constantOr(ExprRef ref, int64_t otherwise = -1) const;
    std::span<ExprNode const> nodes() const { return nodes_; }

    std::string toText(ExprRef ref) const;

private:
    ExprRef intern(ExprNode const& node);

    int32_t sizeTensors_ = 0;
    std::vector<ExprNode> nodes_;
    std::map<std::tuple<ExprOp, int32_t, int32_t, int64_t>, ExprRef> known_;
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
