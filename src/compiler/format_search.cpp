// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/format_search.h"

#include <algorithm>
#include <memory>

#include "base/dtype.h"

namespace kiln::compiler {
namespace {

using target::OperandType;

constexpr std::size_t kMostListed = 40;        // rejections in one message
constexpr int64_t kQuestionsPerOperand = 100;  // for each combination that a plugin may have
constexpr int32_t kLeastCombinations = 100;    // minimum for the number of questions; API default
constexpr int32_t kMostCombinations = 1 << 16; // all of them are kept, and timed

class Search {
public:
    Search(AllowedTypes const& allowed, std::size_t inputs, SearchBounds bounds,
           std::function<bool(std::size_t, Combination const&)> const& takes,
           Rejections& rejections)
        : allowed_(allowed), inputs_(inputs), bounds_(bounds), takes_(takes),
          rejections_(rejections) {}

    FoundCombinations run() {
        Combination declared;
        for (std::vector<OperandType> const& types : allowed_) {
            declared.push_back(types.front());
        }
        if (!isSmall()) { // a small search covers everything in plain order
            tryWhole(declared);
            tryUniform();
            tryInputsAndOutputs();
        }
        descend(root_, 0, bounds_.questions - result_.questions);
        result_.cut = cut_;
        return std::move(result_);
    }

private:
    /// The plugin's answer for one operand, given the operands before it.
    struct Node {
        enum class State { kUnknown, kRefused, kTaken };
        State state = State::kUnknown;
        bool found = false;
        bool done = false; ///< the whole subtree has been searched
        std::vector<std::unique_ptr<Node>> next;
    };

    /// Whether the bounds allow every combination.
    bool isSmall() const {
        std::size_t combinations = 1;
        std::size_t questions = 0;
        for (std::vector<OperandType> const& types : allowed_) {
            combinations *= types.size();
            questions += combinations;
            if (combinations > bounds_.combinations ||
                questions > static_cast<std::size_t>(bounds_.questions)) {
                return false;
            }
        }
        return true;
    }

    bool enough() const { return result_.combinations.size() >= bounds_.combinations; }

    Node& childOf(Node& node, std::size_t position, std::size_t choice) {
        node.next.resize(allowed_[position].size());
        if (node.next[choice] == nullptr) {
            node.next[choice] = std::make_unique<Node>();
        }
        return *node.next[choice];
    }

    /// Asks unless the answer is known. `types_` holds the operands up to and including this one.
    bool taken(Node& node, std::size_t position) {
        if (node.state == Node::State::kUnknown) {
            ++result_.questions;
            bool const yes = takes_(position, types_);
            node.state = yes ? Node::State::kTaken : Node::State::kRefused;
            if (!yes) {
                rejections_.add(position, types_[position]);
            }
        }
        return node.state == Node::State::kTaken;
    }

    void keep(Node& leaf) {
        if (!leaf.found) {
            leaf.found = true;
            result_.combinations.push_back(types_);
        }
    }

    /// Tries one combination. Stops if an operand is not allowed its type or format.
    void tryWhole(Combination const& wanted) {
        types_.clear();
        Node* node = &root_;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (enough() || result_.questions >= bounds_.questions) {
                return;
            }
            auto const at = std::find(allowed_[i].begin(), allowed_[i].end(), wanted[i]);
            if (at == allowed_[i].end()) {
                return;
            }
            node = &childOf(*node, i, static_cast<std::size_t>(at - allowed_[i].begin()));
            types_.push_back(wanted[i]);
            if (!taken(*node, i)) {
                return;
            }
        }
        keep(*node);
    }

    /// The allowed choice that is closest to `type`: `type` itself, the declared element type in
    /// the same format, or the declared type and format.
    OperandType nearest(std::size_t operand, OperandType type) const {
        std::vector<OperandType> const& mine = allowed_[operand];
        for (OperandType const& wanted : {type, OperandType{mine.front().type, type.format}}) {
            if (std::find(mine.begin(), mine.end(), wanted) != mine.end()) {
                return wanted;
            }
        }
        return mine.front();
    }

    /// All types and formats that some operand of a range may have, in order of preference.
    std::vector<OperandType> offered(std::size_t begin, std::size_t end) const {
        std::vector<OperandType> all;
        for (std::size_t i = begin; i < end; ++i) {
            for (OperandType const& type : allowed_[i]) {
                if (std::find(all.begin(), all.end(), type) == all.end()) {
                    all.push_back(type);
                }
            }
        }
        return all;
    }

    void tryUniform() {
        for (OperandType const& type : offered(0, allowed_.size())) {
            Combination all;
            for (std::size_t i = 0; i < allowed_.size(); ++i) {
                all.push_back(nearest(i, type));
            }
            tryWhole(all);
        }
    }

    void tryInputsAndOutputs() {
        for (OperandType const& in : offered(0, inputs_)) {
            for (OperandType const& out : offered(inputs_, allowed_.size())) {
                Combination all;
                for (std::size_t i = 0; i < allowed_.size(); ++i) {
                    all.push_back(nearest(i, i < inputs_ ? in : out));
                }
                tryWhole(all);
            }
        }
    }

    /// The number of questions that try every alternative of the operands from `position` on once.
    /// A search with fewer questions may not reach the last operand.
    int64_t onceThrough(std::size_t position) const {
        std::size_t all = 0;
        for (std::size_t i = position; i < allowed_.size(); ++i) {
            all += allowed_[i].size();
        }
        return static_cast<int64_t>(all);
    }

    /// Searches below a node with at most `questions` questions. Returns how many it asked.
    int64_t descend(Node& node, std::size_t position, int64_t questions) {
        if (position == 0) {
            types_.clear();
        }
        if (position == allowed_.size()) {
            keep(node);
            return 0;
        }
        int64_t asked = 0;
        std::size_t const count = allowed_[position].size();
        // The second round spends the questions that other alternatives left over.
        for (int32_t round = 0; round < 2; ++round) {
            for (std::size_t choice = 0; choice < count && !enough(); ++choice) {
                Node& child = childOf(node, position, choice);
                if (child.done) {
                    continue;
                }
                int64_t const left = questions - asked;
                int64_t const fair = left / static_cast<int64_t>(count - choice);
                asked += visit(child, position, choice,
                               std::min(left, std::max(fair, onceThrough(position))));
            }
        }
        bool const all = std::all_of(node.next.begin(), node.next.end(), [](auto const& next) {
            return next != nullptr && next->done;
        });
        node.done = all;
        if (position == 0) {
            cut_ = !all && !enough();
        }
        return asked;
    }

    int64_t visit(Node& child, std::size_t position, std::size_t choice, int64_t questions) {
        bool const known = child.state != Node::State::kUnknown;
        if (!known && questions < 1) {
            return 0;
        }
        types_.resize(position);
        types_.push_back(allowed_[position][choice]);
        int64_t asked = known ? 0 : 1;
        if (taken(child, position)) {
            asked += descend(child, position + 1, questions - asked);
            child.done = child.done || position + 1 == allowed_.size();
        } else {
            child.done = true;
        }
        return asked;
    }

    AllowedTypes const& allowed_;
    std::size_t inputs_;
    SearchBounds bounds_;
    std::function<bool(std::size_t, Combination const&)> const& takes_;
    Rejections& rejections_;
    Node root_;
    Combination types_;
    FoundCombinations result_;
    bool cut_ = false;
};

} // namespace

void Rejections::add(std::size_t operand, OperandType type) {
    operands_.insert({operand, type.type, type.format});
}

void Rejections::add(Combination const& listed) {
    listed_.insert(textOf(listed));
}

std::string Rejections::text() const {
    std::vector<std::string> lines(listed_.begin(), listed_.end());
    for (auto const& [operand, type, format] : operands_) {
        lines.push_back(fmt::format("operand {} as {} {}", operand, nameOf(type), nameOf(format)));
    }
    std::size_t const shown = std::min(lines.size(), kMostListed);
    std::string list;
    for (std::size_t i = 0; i < shown; ++i) {
        list += (list.empty() ? "" : ", ") + lines[i];
    }
    return shown == lines.size() ? list : list + fmt::format(", and {} more", lines.size() - shown);
}

SearchBounds boundsFor(int32_t limit, std::size_t operands) {
    int32_t const most = std::min(limit, kMostCombinations);
    return {static_cast<std::size_t>(most), kQuestionsPerOperand * static_cast<int64_t>(operands) *
                                                std::max(most, kLeastCombinations)};
}

FoundCombinations searchFormats(
    AllowedTypes const& allowed, std::size_t inputs, SearchBounds bounds,
    std::function<bool(std::size_t position, Combination const& types)> const& takes,
    Rejections& rejections) {
    return Search(allowed, inputs, bounds, takes, rejections).run();
}

std::string textOf(Combination const& types) {
    std::string text;
    for (OperandType const& type : types) {
        text += fmt::format("{}{}", text.empty() ? "" : ",", nameOf(type.type));
        if (type.format != TensorFormat::kLINEAR) {
            text += fmt::format(":{}", nameOf(type.format));
        }
    }
    return text;
}

} // namespace kiln::compiler
