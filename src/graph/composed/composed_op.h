// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "graph/parts.h"

namespace kiln::graph {

/// CRTP base of ops that are said by others. `Self` provides
///
///   static constexpr std::string_view kKind;
///   static constexpr nvinfer1::LayerType kLayerType;
///   std::string problem() const;                  // describes invalid parameters; empty if valid
///   void check(InferContext const&) const;        // throws for unsuitable operands
///   std::unique_ptr<Region> parts(InferContext const&) const; // of operands that pass check()
///
/// No plan holds such an op, so nothing of it is saved, and it is not in the OpRegistry.
template <typename Self>
class ComposedOp : public OpBase<Self> {
public:
    template <typename S, typename V>
    static void fields(S&, V&&) {}

    void inferChecked(InferContext& context) const {
        auto const& self = static_cast<Self const&>(*this);
        self.check(context);
        inferByParts(context, self);
    }
};

/// The number of an axis from 0 to rank - 1. Throws kInvalidArgument unless it is one of
/// -rank .. rank - 1.
int32_t axisFromFront(InferContext const& context, std::string_view kind, int64_t axis,
                      int32_t rank);

/// The axes that a constant shape tensor lists, each from 0 to rank - 1, in the order given.
/// Throws kInvalidArgument for tensors that are no constants and for axes that are listed twice.
std::vector<int32_t> listedAxes(InferContext const& context, std::string_view kind,
                                std::size_t operand, int32_t rank);

} // namespace kiln::graph
