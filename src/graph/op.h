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

/// The values of tensors with more elements are not tracked.
constexpr int64_t kMostShapeValues = 64;

/// What is known of a tensor before the engine runs: element type, symbolic shape, and the values
/// of shape tensors. Those are small int32, int64 and bool tensors (0 or 1) of constant shape whose
/// values depend only on extents and on other values. An op sets the values of its outputs if it
/// can compute them, else it leaves them empty.
struct TensorFacts {
    DataType type = DataType::kFLOAT;
    ShapeExpr shape;
    std::optional<ShapeValues> values = std::nullopt;
    /// The numbers whose float64 bits an int64 tensor holds; see ops/double_math.h.
    std::optional<ShapeValues> doubles = std::nullopt;

    /// An operand that is not there has rank -1, and a type that no one converts.
    bool isAbsent() const noexcept { return shape.rank < 0; }
    static TensorFacts absent() {
        TensorFacts facts;
        facts.type = DataType::kINT32;
        facts.shape.rank = -1;
        return facts;
    }
};

/// A number that an op finds when it runs, and that extents of its outputs depend on, such as the
/// number of nonzero elements. Kernels write it, as int64, to an output behind those of the op.
struct DeclaredSize {
    int32_t number = -1; ///< of the size tensor; kept from one inference to the next
    ExprRef value = -1;
};

/// Arguments and results of Op::infer(). `outputs` has outputCount() entries to fill.
struct InferContext {
    ExprPool& pool;
    std::string_view layer; ///< name of the layer, for messages
    std::span<TensorFacts const> inputs;
    std::span<TensorFacts> outputs;
    /// At run time: the output shapes that were computed before. Operand values are not available
    /// then, so an op whose output shape depends on them checks these shapes instead.
    std::span<Dims const> given = {};
    std::span<DeclaredSize> sizes = {}; ///< Op::sizeCount() entries

    /// Whether an operand is there.
    bool has(std::size_t operand) const {
        return operand < inputs.size() && !inputs[operand].isAbsent();
    }
    /// Declares size `which`, which is `optimum` typically and at most `bound`, for extents of the
    /// outputs.
    ExprRef declareSize(std::size_t which, ExprRef optimum, ExprRef bound);
};

/// Weights of an op, as the API's Weights (pointers to the user's memory, valid until the engine is
/// built). The compiler turns each into a constant. In the order of Op::weights(), these take the
/// places of absent operands, then follow the last operand, so kernels see weights only as inputs.
struct WeightSlot {
    std::string role; ///< "kernel", "bias", "value"
    nvinfer1::Weights weights;
    nvinfer1::Dims dims;
};

/// How the type of one operand may be chosen in a weakly typed network.
enum class TypeRule : uint8_t {
    kFixed,   ///< always the type from infer()
    kCompute, ///< the layer's compute type, if the operand is of floating-point type
};

/// What fusion may do with an operation.
enum class OpClass : uint8_t {
    kOther,     ///< runs as a kernel of its own
    kPointwise, ///< each output element depends on one element of each input, with broadcasts
    kReduction, ///< may end a chain of pointwise operations
    kAnchor,    ///< a product or a window: pointwise operations behind it may join its kernel
};

class Region;

/// One operation: parameters, type and shape inference, serialization. One file per op defines the
/// class and `void registerOp_<stem>(OpRegistry&)`. Ops do not depend on backends.
class Op {
public:
    virtual ~Op() = default;

    /// The name that layers, plans, kernels and messages share, such as "SoftMax".
    virtual std::string_view kind() const = 0;
    virtual nvinfer1::LayerType layerType() const = 0;
    virtual int32_t outputCount() const { return 1; }
    virtual OpClass opClass() const { return OpClass::kOther; }
    /// Number of sizes that infer() declares.
    virtual int32_t sizeCount() const { return 0; }
    /// Whether an operand may be absent while a later one is there. Absent operands keep their
    /// places; those at the end are left out.
    virtual bool mayBeAbsent(int32_t operand) const {
        static_cast<void>(operand);
        return false;
    }

    /// Fills the outputs. Throws kInvalidArgument for unsuitable operands, with message "[network]
    /// layer 'name' (Kind): expected ..., got .... Remedy."
    virtual void infer(InferContext& context) const = 0;

    /// Weights held by the op, which has `inputCount` connected inputs.
    virtual std::vector<WeightSlot> weights(int32_t inputCount) const {
        static_cast<void>(inputCount);
        return {};
    }

    /// Operand numbers count the inputs first, then the outputs, as in supportsFormatCombination.
    virtual TypeRule typeRule(int32_t operand, int32_t inputCount) const {
        static_cast<void>(operand);
        static_cast<void>(inputCount);
        return TypeRule::kCompute;
    }

    /// What the op is made of, if it is said by other ops: the compiler puts these in its place, so
    /// it needs no kernels. `context` has the operands, with weights as in operandsWithWeights(),
    /// and no outputs. Null for an op with kernels of its own. See graph/parts.h.
    virtual std::unique_ptr<Region> parts(InferContext const& context) const;

    virtual std::unique_ptr<Op> clone() const = 0;

    /// Writes the parameters without weights. Kernels need them at run time, and they are part of
    /// the timing cache key.
    virtual void save(ByteWriter& writer) const = 0;
};

/// The start of messages: "[network] layer 'name' (Kind)"; without a layer name, "[shape] Kind".
std::string where(InferContext const& context, std::string_view kind);

/// Throws kInvalidArgument if an operand is absent that the op needs.
void expectPresent(InferContext const& context, Op const& op);

/// Throws kInvalidArgument unless the op has between `least` and `most` inputs.
void expectInputs(InferContext const& context, std::string_view kind, std::size_t least,
                  std::size_t most);

/// Throws kInvalidArgument unless all inputs that are there have the same element type, and returns
/// it.
DataType expectSameType(InferContext const& context, std::string_view kind);

/// Throws kInvalidArgument unless input 0 is float32, float16 or bfloat16, and returns its type.
DataType expectFloating(InferContext const& context, std::string_view kind);

/// Broadcasts two extents like elementwise layers: they are equal, or one of them is 1. Two unknown
/// extents give the larger one, or 0 if one is 0; kernels check the extents at run time.
ExprRef broadcastExtent(InferContext const& context, std::string_view kind, int32_t axis, ExprRef a,
                        ExprRef b);

} // namespace kiln::graph
