// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/op.h"
#include "target/kernel.h"

namespace kiln {
class FilePageReleaser;
}

namespace kiln::target {

/// Elements of a constant: memory of someone else, or `own` bytes.
struct Elements {
    ByteView view;
    std::shared_ptr<Bytes const> own;

    Elements() = default;
    explicit Elements(ByteView others) : view(others) {}
    explicit Elements(Bytes bytes) : view(), own(std::make_shared<Bytes const>(std::move(bytes))) {
        view = *own;
    }
};

class Recipe;
using RecipePtr = std::shared_ptr<Recipe const>;

/// An operand of an operation: other extents over the same elements are a reshape, which costs
/// nothing.
struct RecipeOperand {
    RecipePtr recipe;
    Dims dims{};
};

/// Where the elements of a constant come from: a *source*, or an operation of graph/ops on other
/// recipes, which the target cpu evaluates when the elements are needed. So what is computed from
/// weights takes memory while the plan is written, one constant at a time, and can be computed
/// again from other weights. Immutable; recipes share their operands, without cycles.
class Recipe {
public:
    /// Results up to this size are computed at once and kept: patterns read them.
    static constexpr std::size_t kSmall = std::size_t{64} << 10;
    /// Operations on operations, this deep at most: recipes are destroyed recursively.
    static constexpr int32_t kMostDepth = 256;

    /// Results take at most so many bytes, by those of their largest source, so that a small file
    /// cannot ask for memory without end.
    static constexpr std::size_t mostBytes(std::size_t largestSource) {
        constexpr std::size_t kGrowth = 64;
        std::size_t const most = largestSource * kGrowth + (std::size_t{1} << 20);
        return largestSource > SIZE_MAX / (2 * kGrowth) ? SIZE_MAX : most;
    }

    /// `name`: of the weights of the network, "conv1/kernel"; empty for elements that Kiln made.
    static RecipePtr source(std::string name, OperandType type, Elements elements);
    /// A source of which nothing but the size is known.
    static RecipePtr missing(std::string name, OperandType type, std::size_t bytes);
    /// An operation with one output. `known`: its elements, if they were computed.
    static RecipePtr operation(std::string op, Bytes parameters,
                               std::vector<RecipeOperand> operands, OperandType type,
                               Dims const& dims, std::optional<Bytes> known = std::nullopt);

    bool isSource() const noexcept { return op_.empty(); }
    std::string const& name() const noexcept { return name_; }       ///< of a source
    std::string const& op() const noexcept { return op_; }           ///< Op::kind()
    Bytes const& parameters() const noexcept { return parameters_; } ///< Op::save()
    std::vector<RecipeOperand> const& operands() const noexcept { return operands_; }
    OperandType const& type() const noexcept { return type_; }
    Dims const& dims() const noexcept { return dims_; } ///< of the result of an operation
    std::size_t bytes() const noexcept { return bytes_; }
    int32_t depth() const noexcept { return depth_; }                     ///< 0: a source
    std::size_t largestSource() const noexcept { return largestSource_; } ///< bytes
    /// Whether nothing has to be computed.
    bool isKnown() const noexcept { return known_; }
    Elements const& known() const noexcept { return elements_; }

private:
    Recipe() = default;

    std::string name_;
    std::string op_;
    Bytes parameters_;
    std::vector<RecipeOperand> operands_;
    OperandType type_;
    Dims dims_{};
    std::size_t bytes_ = 0;
    std::size_t largestSource_ = 0;
    int32_t depth_ = 0;
    bool known_ = false;
    Elements elements_;
};

/// Whether elements lie at a multiple of their size, as kernels need it. Those in files may not.
bool isAligned(ByteView elements, DataType type);

/// The elements, computed now unless they are known, and copied unless they are aligned. What is in
/// between is freed after its last reader. Throws kInvalidArgument if an operation refuses the
/// elements, or if the elements of a source are missing.
Elements elementsOf(Recipe const& recipe);

/// The named sources of a recipe, each once, in the order of their first use.
std::vector<std::string_view> sourceNames(Recipe const& recipe);

/// The recipe with all recipes that it needs, each once, operands before their readers. kUnknown:
/// without what only parts with known elements need.
enum class Parts { kAll, kUnknown };
std::vector<Recipe const*> partsOf(Recipe const& recipe, Parts which = Parts::kAll);

/// Notes that the elements of a recipe were read: the pages of mapped files that they are in need
/// not stay in memory.
void noteRead(Recipe const& recipe, FilePageReleaser& files);

/// Adds the elements of sources that a recipe reads where the user has them, maybe in mapped files.
void addMapped(Recipe const& recipe, std::vector<ByteView>& elements);

/// An operation on constants as a recipe, small results computed. Null if the target cpu has no
/// kernel for it, if it refuses the elements, or if the recipe would be too deep or
/// too large.
RecipePtr computed(graph::Op const& op, std::string_view layer, std::vector<RecipeOperand> operands,
                   OperandType type, Dims const& dims);

} // namespace kiln::target
