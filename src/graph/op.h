// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/dtype.h"
#include "graph/expr.h"
#include "kiln/api/network/layer_type.h"
#include "kiln/api/weights.h"

namespace kiln::graph {

/// Symbolic values of a tensor's elements, in row-major order.
using ShapeValues = std::vector<ExprRef>;

/// Tensors with more elements are never followed by value.
constexpr int64_t kMostShapeValues = 64;

/// What is known of a tensor before the engine runs: element type, symbolic shape, and for small
/// int32, int64 and bool tensors of constant shape also the values, if they follow from extents and
/// from other values alone (shape tensors; a bool is 0 or 1). An op that can say what values its
/// output has fills them in; an op that cannot leaves them out.
struct TensorFacts {
    DataType type = DataType::kFLOAT;
    ShapeExpr shape;
    std::optional<ShapeValues> values = std::nullopt;
};

/// What an op sees while its outputs are worked out. `outputs` has outputCount() entries to fill.
struct InferContext {
    ExprPool& pool;
    std::string_view layer; ///< name of the layer, for messages
    std::span<TensorFacts const> inputs;
    std::span<TensorFacts> outputs;
    /// At run time: the output shapes as they were worked out, for ops whose operands' values
    /// decide them. The values are not at hand then; such an op checks these shapes instead.
    std::span<Dims const> given = {};
};

/// Weights that an op holds by value of the API (pointers into the user's memory, valid until the
/// engine is built). The compiler turns each into a constant and appends it to the op's inputs in
/// the order of Op::weights(), so that kernels see weights as inputs only.
struct WeightSlot {
    std::string role; ///< "kernel", "bias", "value"
    nvinfer1::Weights weights;
    nvinfer1::Dims dims;
};

/// How the type of one operand may be chosen in a weakly typed network.
enum class TypeRule : uint8_t {
    kFixed,   ///< always the type that infer() gave it
    kCompute, ///< follows the layer's compute type, if that operand is of floating type
};

/// One operation: parameters, rule for types and shapes, serialization. One file per op defines the
/// class and `void registerOp_<stem>(OpRegistry&)`. Ops know no backend.
class Op {
public:
    virtual ~Op() = default;

    /// The name that layers, plans, kernels and messages share, such as "Softmax".
    virtual std::string_view kind() const = 0;
    virtual nvinfer1::LayerType layerType() const = 0;
    virtual int32_t outputCount() const { return 1; }

    /// Fills the outputs; throws kInvalidArgument for operands that do not fit, with message
    /// "[network] layer 'name' (Kind): expected ..., got .... Remedy."
    virtual void infer(InferContext& context) const = 0;

    /// Weights held by the op; `inputCount` operands are connected already.
    virtual std::vector<WeightSlot> weights(int32_t inputCount) const {
        static_cast<void>(inputCount);
        return {};
    }

    /// Input operands come first, outputs after them, as in supportsFormatCombination.
    virtual TypeRule typeRule(int32_t operand, int32_t inputCount) const {
        static_cast<void>(operand);
        static_cast<void>(inputCount);
        return TypeRule::kCompute;
    }

    virtual std::unique_ptr<Op> clone() const = 0;

    /// Parameters without weights: what a kernel needs at run time, and part of the timing key.
    virtual void save(ByteWriter& writer) const = 0;
};

/// How messages begin: "[network] layer 'name' (Kind)"; without a layer name, "[shape] Kind".
std::string where(InferContext const& context, std::string_view kind);

/// Throws kInvalidArgument unless the op has between `least` and `most` inputs.
void expectInputs(InferContext const& context, std::string_view kind, std::size_t least,
                  std::size_t most);

/// Throws kInvalidArgument unless all inputs have the same element type, and returns it.
DataType expectSameType(InferContext const& context, std::string_view kind);

/// Throws kInvalidArgument unless input 0 is float32, float16 or bfloat16, and returns its type.
DataType expectFloating(InferContext const& context, std::string_view kind);

/// Broadcasts two extents as elementwise layers do: equal, or one of them 1. Two unknown
/// extents yield the larger one, or 0 if one is 0; kernels check the extents at run time.
ExprRef broadcastExtent(InferContext const& context, std::string_view kind, int32_t axis, ExprRef a,
                        ExprRef b);

} // namespace kiln::graph
