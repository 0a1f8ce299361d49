// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/boundary/boundary.h"

namespace kiln::graph {

/// Decides which branch of a conditional runs.
class Condition final : public Boundary<Condition> {
public:
    static constexpr std::string_view kKind = "Condition";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCONDITION;

    int32_t outputCount() const override { return 0; }
    void inferChecked(InferContext& context) const;
};

/// The same tensor for layers of the branches.
class ConditionalInput final : public Boundary<ConditionalInput> {
public:
    static constexpr std::string_view kKind = "ConditionalInput";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCONDITIONAL_INPUT;

    void inferChecked(InferContext& context) const;
};

/// A result of a conditional. Inputs: the results of the first and the second branch, and the
/// condition, if it is set. Extents that differ depend on it: they are known with the shapes if it
/// follows from them, else the run finds them.
class ConditionalOutput final : public Boundary<ConditionalOutput> {
public:
    static constexpr std::string_view kKind = "ConditionalOutput";
    static constexpr auto kLayerType = nvinfer1::LayerType::kCONDITIONAL_OUTPUT;

    int32_t sizeCount() const override { return Dims::MAX_DIMS; } ///< one for each axis, or fewer
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
