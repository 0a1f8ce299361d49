// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "backend/backend.h"

namespace kiln::compiler {

/// One combination of types and formats that a plugin takes: inputs, then outputs.
using Combination = std::vector<backend::OperandType>;

/// Which types and formats each operand of a plugin may be given, in order of preference.
using AllowedTypes = std::vector<std::vector<backend::OperandType>>;

/// What a plugin refused: each operand, type and format once, however often it was asked.
class Rejections {
public:
    void add(std::size_t operand, backend::OperandType type);
    void add(Combination const& listed);
    /// The search ended before every combination was asked for.
    void addCut(int64_t questions) { cutAfter_ += questions; }
    int64_t cutAfter() const noexcept { return cutAfter_; } ///< questions; 0: all was asked
    /// "operand 0 as float32 linear, ..."; a long list ends in "and 12 more".
    std::string text() const;

private:
    std::set<std::tuple<std::size_t, DataType, TensorFormat>> operands_;
    std::set<std::string> listed_;
    int64_t cutAfter_ = 0;
};

/// How much of a search is done at most.
struct SearchBounds {
    std::size_t combinations = 0; ///< found
    int64_t questions = 0;        ///< asked
};

/// The bounds for a plugin that wants `limit` combinations of `operands` operands at most. A search
/// for a plugin that decides operand by operand takes about a hundred questions for each operand
/// and combination.
SearchBounds boundsFor(int32_t limit, std::size_t operands);

/// What a search found.
struct FoundCombinations {
    std::vector<Combination> combinations; ///< likely ones first, each once
    int64_t questions = 0;                 ///< how often `takes` was called
    bool cut = false;                      ///< the questions ran out before the combinations did
};

/// All combinations within `allowed` that a plugin takes, as far as the bounds allow. The first
/// `inputs` operands are inputs.
///
/// `takes(position, types)` says whether operand `position` may have types[position] after the
/// operands before it; as the API has it, the answer depends on these alone, and no question is
/// asked twice. Operands are searched one by one, where every alternative of an operand gets an
/// equal share of the questions that are left: a plugin that refuses late, at its last output, say,
/// cannot use them all up under the first alternative. Where the bounds do not allow for all
/// combinations, likely ones come first: what the network declares, one type and format for all
/// operands, one for inputs and one for outputs.
FoundCombinations searchFormats(
    AllowedTypes const& allowed, std::size_t inputs, SearchBounds bounds,
    std::function<bool(std::size_t position, Combination const& types)> const& takes,
    Rejections& rejections);

/// "float16,float16:HWC8", for messages.
std::string textOf(Combination const& types);

} // namespace kiln::compiler
