// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the layers at the border of loops and conditionals share. They say where values enter and
// leave, not which layers lie between: the compiler finds the bodies (compiler/nesting.h) and makes
// the operations of ops/control.h from them. So no plan holds such an op.
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// The loop or conditional at whose border a layer stands.
struct BoundaryMark {
    int32_t part = -1;     ///< its number in the network; loops and conditionals share the numbers
    std::string blockName; ///< may be empty
};

/// CRTP base of these ops.
template <typename Self>
class Boundary : public OpBase<Self>, public BoundaryMark {
public:
    template <typename S, typename V>
    static void fields(S&, V&&) {}
    std::string problem() const { return {}; }
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
};

/// Facts of what is data inside of a loop or a branch, whatever is known outside.
TensorFacts dataOf(TensorFacts facts);

/// Throws kInvalidArgument unless input `operand` is one element of a type that `fits` accepts.
void expectScalar(InferContext const& context, std::string_view kind, std::size_t operand,
                  std::string_view role, bool (*fits)(DataType), std::string_view types);

inline bool isTruth(DataType type) noexcept {
    return type == DataType::kBOOL;
}
inline bool isCount(DataType type) noexcept {
    return type == DataType::kINT32 || type == DataType::kINT64;
}

} // namespace kiln::graph
