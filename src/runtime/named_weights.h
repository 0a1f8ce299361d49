// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/document.h"

namespace kiln::runtime {

/// New elements of the weights of a network, by layer and role: "conv1/kernel".
struct NewWeights {
    std::string_view name;
    DataType type = DataType::kFLOAT; ///< that of the network
    ByteView elements;
};

/// New elements of a constant of an engine, in its type and format, not packed.
struct NewConstant {
    plan::TensorId tensor;
    target::Elements elements;
};

/// The weights of the network behind the constants of an engine. In a plan for refit, recipes tell
/// what is computed from them; in others, only weights that are constants as they are can change.
class NamedWeights {
public:
    explicit NamedWeights(plan::Document const& document) : document_(document) {}

    /// All constants that depend on these weights, computed from them. Throws kInvalidArgument for
    /// unknown names, wrong types and sizes, and weights that cannot change.
    std::vector<NewConstant> constantsFor(std::span<NewWeights const> weights) const;
    /// Weights that constants are computed with beside others: later calls of constantsFor() use
    /// them.
    void keep(std::span<NewWeights const> weights);

private:
    struct Changed {
        target::RecipePtr recipe;
        bool isNew = false;
    };

    Table<plan::WeightId, Changed> recipesWith(
        std::map<plan::WeightId, ByteView> const& given) const;
    target::RecipePtr sourceOf(plan::WeightId weight, ByteView given) const;
    std::vector<NewConstant> plainConstants(NewWeights const& weights) const;
    /// The weights of this name: layers may have one name.
    std::vector<plan::WeightId> find(NewWeights const& weights) const;
    [[noreturn]] void failUnknown(std::string_view name) const;

    plan::Document const& document_;
    std::map<plan::WeightId, Bytes> kept_;
};

} // namespace kiln::runtime
