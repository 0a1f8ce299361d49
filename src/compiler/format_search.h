// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "target/backend.h"

namespace kiln::compiler {

/// One combination of types and formats that a plugin accepts: inputs, then outputs.
using Combination = std::vector<target::OperandType>;

/// The types and formats that each operand of a plugin may have, in order of preference.
using AllowedTypes = std::vector<std::vector<target::OperandType>>;

/// What a plugin refused. Each operand, type and format is listed once.
class Rejections {
public:
    void add(std::size_t operand, target::OperandType type);
    void add(Combination const& listed);
    /// Records that a search ended after `questions` questions, before it tried every combination.
    void addCut(int64_t questions) { cutAfter_ += questions; }
    int64_t cutAfter() const noexcept { return cutAfter_; } ///< questions; 0: complete
    /// "operand 0 as float32 linear, ..."; a long list ends in "and 12 more".
    std::string text() const;

private:
    std::set<std::tuple<std::size_t, DataType, TensorFormat>> operands_;
    std::set<std::string> listed_;
    int64_t cutAfter_ = 0;
};

/// Limits of a search.
struct SearchBounds {
    std::size_t combinations = 0; ///< found
    int64_t questions = 0;        ///< asked
};

/// Bounds for a plugin with `operands` operands that wants at most `limit` combinations. They allow
/// a hundred questions for each operand and combination, enough for a plugin that decides operand
/// by operand.
SearchBounds boundsFor(int32_t limit, std::size_t operands);

/// What a search found.
struct FoundCombinations {
    std::vector<Combination> combinations; ///< likely ones first, each once
    int64_t questions = 0;                 ///< how often `takes` was called
    bool cut = false;                      ///< the questions ran out before the combinations
};

/// All combinations within `allowed` that a plugin accepts, as far as the bounds allow. The first
/// `inputs` operands are inputs.
///
/// `takes(position, types)` says whether operand `position` may have types[position] after the
/// operands before it. By the API's rules the answer depends on these operands only, so each
/// question is asked once. Operands are searched one by one. Every alternative of an operand gets
/// an equal share of the remaining questions, so that a plugin that refuses late (at its last
/// output, for example) does not use them all up under the first alternative. If the bounds do not
/// allow all combinations, likely ones come first: what the network declares, one type and format
/// for all operands, one for inputs and one for outputs.
FoundCombinations searchFormats(
    AllowedTypes const& allowed, std::size_t inputs, SearchBounds bounds,
    std::function<bool(std::size_t position, Combination const& types)> const& takes,
    Rejections& rejections);

/// "float16,float16:HWC8", for messages.
std::string textOf(Combination const& types);

} // namespace kiln::compiler
