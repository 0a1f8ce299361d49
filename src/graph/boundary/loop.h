// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/boundary/boundary.h"
#include "kiln/api/network/loop_enums.h"

namespace kiln::graph {

/// Ends a loop. Input: the number of passes, or the condition of a pass.
class TripLimit final : public Boundary<TripLimit> {
public:
    static constexpr std::string_view kKind = "TripLimit";
    static constexpr auto kLayerType = nvinfer1::LayerType::kTRIP_LIMIT;

    nvinfer1::TripLimit limit = nvinfer1::TripLimit::kCOUNT;

    std::string problem() const { return enumProblem(limit, "TripLimit"); }
    int32_t outputCount() const override { return 0; }
    void inferChecked(InferContext& context) const;
};

/// A value that goes from pass to pass. Inputs: the initial value, the next value, which depends on
/// the output and is no part of its inference. Output: the current value.
class Recurrence final : public Boundary<Recurrence> {
public:
    static constexpr std::string_view kKind = "Recurrence";
    static constexpr auto kLayerType = nvinfer1::LayerType::kRECURRENCE;

    void inferChecked(InferContext& context) const;
};

/// Slices of a tensor, one for each pass.
class Iterator final : public Boundary<Iterator> {
public:
    static constexpr std::string_view kKind = "Iterator";
    static constexpr auto kLayerType = nvinfer1::LayerType::kITERATOR;

    int32_t axis = 0;
    bool reverse = false;

    std::string problem() const;
    void inferChecked(InferContext& context) const;
};

/// A result of a loop. Inputs: a value of the body, the number of slices to keep. Extents of slices
/// that follow from sizes, which the passes may find, are sizes that the loop finds.
class LoopOutput final : public Boundary<LoopOutput> {
public:
    static constexpr std::string_view kKind = "LoopOutput";
    static constexpr auto kLayerType = nvinfer1::LayerType::kLOOP_OUTPUT;

    nvinfer1::LoopOutput output = nvinfer1::LoopOutput::kLAST_VALUE;
    int32_t axis = 0; ///< of the slices in the result

    int32_t sizeCount() const override { return Dims::MAX_DIMS; } ///< one for each axis, or fewer
    bool isLast() const noexcept { return output == nvinfer1::LoopOutput::kLAST_VALUE; }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
