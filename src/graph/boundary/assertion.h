// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/boundary/boundary.h"

namespace kiln::graph {

/// Fails with a text unless all elements of its input are true. The compiler makes a Require of it,
/// or a check of shapes.
class Assertion final : public Boundary<Assertion> {
public:
    static constexpr std::string_view kKind = "Assertion";
    static constexpr auto kLayerType = nvinfer1::LayerType::kASSERTION;

    std::string message;

    int32_t outputCount() const override { return 0; }
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
