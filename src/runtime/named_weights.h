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
    /// Copies of weights that constants are computed with beside others, for keep().
    using Copies = std::map<plan::WeightId, Bytes>;
    Copies copiesOf(std::span<NewWeights const> weights) const;
    /// Later calls of constantsFor() use these elements.
    void keep(Copies copies) noexcept;
    /// Gives the sources of a copy of the document the elements that were kept; it must not outlive
    /// this object.
    void putInto(plan::Document& copy) const;

    /// The names of the weights that the stripped constants need and that no one has given yet,
    /// each once.
    std::vector<std::string> missing() const;

private:
    struct Changed {
        target::RecipePtr recipe;
        bool isNew = false;
    };

    Table<plan::WeightId, Changed> recipesWith(
        std::map<plan::WeightId, ByteView> const& given) const;
    target::RecipePtr sourceOf(plan::WeightId weight, ByteView given) const;
    std::vector<NewConstant> plainConstants(NewWeights const& weights) const;
    /// The sources that a weight is computed from, itself if it is one.
    std::vector<plan::WeightId> sourcesOf(plan::WeightId weight) const;
    bool isThere(plan::WeightId source) const;
    /// The weights of this name: layers may have one name. None if they are fixed, and equal.
    std::vector<plan::WeightId> find(NewWeights const& weights) const;
    bool areFixed(NewWeights const& weights) const;
    [[noreturn]] void failUnknown(std::string_view name) const;

    plan::Document const& document_;
    Copies kept_;
};

} // namespace kiln::runtime
