// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/pointwise/phases.h"

#include <algorithm>

#include "targets/cpu/isa.h"
#include "targets/cpu/processor.h"

namespace kiln::targets::cpu {
namespace {

// Longer tiles gain nothing.
constexpr int64_t kLongestTile = 2048;
/// Of several actions, loads and stores past the caches overlap in a tile as short as this; in
/// longer ones they take turns, and little is gained.
constexpr int64_t kStreamedTile = 512;
constexpr int32_t kAlways = INT32_MAX;

class Planner {
public:
    Planner(Program& program, std::vector<PlannedAction> const& actions)
        : program_(program), actions_(actions),
          producer_(static_cast<std::size_t>(program.values), -1) {
        for (std::size_t i = 0; i < actions.size(); ++i) {
            producer_[static_cast<std::size_t>(actions[i].action.output)] = static_cast<int32_t>(i);
            int32_t level = 0;
            for (int32_t const input : actions[i].inputs) {
                auto const from = static_cast<std::size_t>(producerOf(input));
                level = std::max(level, levels_[from] + (isFold(from) ? 1 : 0));
            }
            levels_.push_back(level);
            last_ = std::max(last_, level + (isFold(i) ? 1 : 0));
        }
    }

    void plan() {
        int32_t const slots = fill(true);
        program_.tile = kTileMemory / std::max(slots, 1) / 16 * 16;
        if (program_.reduces && program_.tile < program_.rowLength) {
            program_.tile = kTileMemory / std::max(fill(false), 1) / 16 * 16;
        }
        if (!program_.reduces || program_.tile < program_.rowLength) {
            program_.tile = std::min(program_.tile, kLongestTile);
        }
        auto const& arrays = program_.phases.back().arrays;
        Result const& first = program_.results.front();
        program_.lastIsResult = !arrays.empty() && first.type == DataType::kFLOAT &&
                                arrays.back().output == first.value && arrays.back().slot >= 0;
        program_.pastCaches = !program_.reduces && program_.lastIsResult &&
                              canStorePastCaches(arrays.back()) &&
                              bytesTouched() > static_cast<double>(largestCacheBytes());
        if (program_.pastCaches) {
            program_.tile = std::min(program_.tile, kStreamedTile);
        }
    }

private:
    static bool canStorePastCaches(Action const& action) {
        switch (action.kind) {
        case Action::Kind::kMap: return isa().mapsPastCaches[action.function] != nullptr;
        case Action::Kind::kCombine: return isa().combinesPastCaches[action.function][0] != nullptr;
        default: return action.kind == Action::Kind::kScale;
        }
    }

    /// Of all arrays, without what is the same for each row.
    double bytesTouched() const {
        double const elements =
            static_cast<double>(program_.rows) * static_cast<double>(program_.rowLength);
        double bits = 0.0;
        for (Source const& source : program_.sources) {
            bool const all =
                !source.uniform &&
                std::ranges::none_of(source.rowStrides, [](int64_t s) { return s == 0; });
            bits += all ? bitsOf(source.type) : 0;
        }
        for (Result const& result : program_.results) {
            bits += result.perRow ? 0 : bitsOf(result.type);
        }
        return elements * bits / 8.0;
    }

    int32_t producerOf(int32_t value) const { return producer_[static_cast<std::size_t>(value)]; }
    bool isFold(std::size_t action) const {
        return actions_[action].action.kind == Action::Kind::kFold;
    }

    /// The actions of each phase. `once`: arrays stay from phase to phase, because a row is a tile;
    /// else each phase computes again what it needs. Returns the number of slots.
    int32_t fill(bool once) {
        program_.phases.assign(static_cast<std::size_t>(last_ + 1), {});
        int32_t slots = 0;
        std::vector<std::vector<std::size_t>> order;
        for (int32_t level = 0; level <= last_; ++level) {
            Phase& phase = program_.phases[static_cast<std::size_t>(level)];
            std::vector<bool> const needed = once ? std::vector<bool>() : neededAt(level);
            order.emplace_back();
            for (std::size_t i = 0; i < actions_.size(); ++i) {
                PlannedAction const& planned = actions_[i];
                if (isFold(i)) {
                    if (levels_[i] == level) {
                        phase.folds.push_back(planned.action);
                    }
                } else if (planned.uniform) {
                    if (levels_[i] == level) {
                        phase.numbers.push_back(planned.action);
                    }
                } else if (once ? levels_[i] == level : needed[i]) {
                    order.back().push_back(i);
                }
            }
        }
        if (once) {
            return allocate(order, 0, order.size());
        }
        for (std::size_t level = 0; level < order.size(); ++level) {
            slots = std::max(slots, allocate(order, level, level + 1));
        }
        return slots;
    }

    /// The arrays that the folds of a level need; in the last level, those of the results.
    std::vector<bool> neededAt(int32_t level) const {
        std::vector<bool> needed(actions_.size());
        auto const need = [&](int32_t value) {
            auto const from = static_cast<std::size_t>(producerOf(value));
            needed[from] = !actions_[from].uniform;
        };
        for (std::size_t i = 0; i < actions_.size(); ++i) {
            if (isFold(i) && levels_[i] == level) {
                need(actions_[i].inputs.front());
            }
        }
        if (level == last_) {
            for (Result const& result : program_.results) {
                if (!result.perRow) {
                    need(result.value);
                }
            }
        }
        for (std::size_t i = actions_.size(); i-- > 0;) {
            if (needed[i]) {
                std::ranges::for_each(actions_[i].inputs, need);
            }
        }
        return needed;
    }

    /// Assigns slots to the arrays of phases [begin, end), which keep their values together.
    int32_t allocate(std::vector<std::vector<std::size_t>> const& order, std::size_t begin,
                     std::size_t end) {
        std::vector<int32_t> lastUse(static_cast<std::size_t>(program_.values), -1);
        auto const lastUseOf = [&](int32_t value) -> int32_t& {
            return lastUse[static_cast<std::size_t>(value)];
        };
        int32_t time = 0;
        for (std::size_t level = begin; level < end; ++level) {
            for (std::size_t const i : order[level]) {
                for (int32_t const input : actions_[i].inputs) {
                    lastUseOf(input) = time;
                }
                ++time;
            }
            for (Action const& fold : program_.phases[level].folds) {
                lastUseOf(fold.inputs[0]) = time++;
            }
        }
        for (Result const& result : program_.results) {
            lastUseOf(result.value) = kAlways;
        }
        std::vector<int32_t> slotOf(static_cast<std::size_t>(program_.values), -1);
        std::vector<int32_t> free;
        int32_t slots = 0;
        time = 0;
        auto const release = [&](int32_t value) {
            int32_t& slot = slotOf[static_cast<std::size_t>(value)];
            if (slot >= 0 && lastUseOf(value) == time) {
                free.push_back(slot);
                slot = -1;
            }
        };
        for (std::size_t level = begin; level < end; ++level) {
            for (std::size_t const i : order[level]) {
                PlannedAction const& planned = actions_[i];
                // The output may lie over an operand that ends here.
                std::ranges::for_each(planned.inputs, release);
                Action action = planned.action;
                if (planned.needsSlot) {
                    if (free.empty()) {
                        free.push_back(slots++);
                    }
                    action.slot = free.back();
                    free.pop_back();
                    slotOf[static_cast<std::size_t>(action.output)] = action.slot;
                }
                program_.phases[level].arrays.push_back(action);
                ++time;
            }
            for (Action const& fold : program_.phases[level].folds) {
                release(fold.inputs[0]);
                ++time;
            }
        }
        return slots;
    }

    Program& program_;
    std::vector<PlannedAction> const& actions_;
    std::vector<int32_t> producer_; ///< by value
    std::vector<int32_t> levels_;   ///< by action: how many reductions come before it
    int32_t last_ = 0;
};

} // namespace

void planPhases(Program& program, std::vector<PlannedAction> const& actions) {
    Planner(program, actions).plan();
}

} // namespace kiln::targets::cpu
