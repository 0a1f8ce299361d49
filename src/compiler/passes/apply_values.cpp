// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "compiler/passes/passes.h"
#include "graph/real_values.h"

namespace kiln::compiler {
namespace {

void checkCount(Value const& input, std::size_t profile, char const* corner, std::size_t expected,
                std::vector<int64_t> const& values) {
    if (values.size() != expected) {
        fail(ErrorKind::kInvalidArgument,
             "[builder] shape input '{}', optimization profile {}, {} values: expected {}, got {}. "
             "Set the min, opt and max values of this input in the profile.",
             input.name, profile, corner, expected, values.size());
    }
}

void checkRange(Value const& input, std::size_t profile, std::size_t count,
                ValueRange const& range) {
    checkCount(input, profile, "min", count, range.min);
    checkCount(input, profile, "opt", count, range.opt);
    checkCount(input, profile, "max", count, range.max);
    for (std::size_t i = 0; i < count; ++i) {
        if (range.min[i] > range.opt[i] || range.opt[i] > range.max[i]) {
            fail(ErrorKind::kInvalidArgument,
                 "[builder] shape input '{}', optimization profile {}, element {}: expected min <= "
                 "opt <= max, got {}, {}, {}. Reorder the values.",
                 input.name, profile, i, range.min[i], range.opt[i], range.max[i]);
        }
    }
}

/// The range over all profiles. The optimum is the first profile's.
ValueRange united(Value const& input, std::size_t count, std::vector<Profile> const& profiles) {
    ValueRange all;
    for (std::size_t i = 0; i < profiles.size(); ++i) {
        auto const found = profiles[i].values.find(input.name);
        ValueRange const range = found == profiles[i].values.end() ? ValueRange{} : found->second;
        checkRange(input, i, count, range);
        if (i == 0) {
            all = range;
        }
        for (std::size_t at = 0; at < count; ++at) {
            all.min[at] = std::min(all.min[at], range.min[at]);
            all.max[at] = std::max(all.max[at], range.max[at]);
        }
    }
    return all;
}

/// Expressions have the elements of float32 inputs in other units.
void toLeaves(Value const& input, ValueRange& range) {
    if (input.type.type != DataType::kFLOAT) {
        return;
    }
    for (std::vector<int64_t>* const values : {&range.min, &range.opt, &range.max}) {
        for (int64_t& value : *values) {
            value = graph::fixedFromReal(static_cast<double>(value));
        }
    }
}

} // namespace

void applyValues(Program& program) {
    program.united.values.resize(program.united.shapes.size());
    for (Ranges& ranges : program.profiles) {
        ranges.values.resize(ranges.shapes.size());
    }
    for (ValueId const index : program.shapeInputs) {
        Value const& input = program.value(index);
        if (program.options.profiles.empty()) {
            fail(ErrorKind::kInvalidArgument,
                 "[builder] input '{}' decides shapes by its values, but the configuration has no "
                 "optimization profile. Add one with the min, opt and max values of this input.",
                 input.name);
        }
        Dims const dims = graph::knownDims(program.pool, input.shape);
        auto const count = static_cast<std::size_t>(volume(dims, input.name));
        auto const slot = static_cast<std::size_t>(input.inputIndex);
        program.united.values[slot] = united(input, count, program.options.profiles);
        toLeaves(input, program.united.values[slot]);
        for (std::size_t i = 0; i < program.profiles.size(); ++i) {
            auto const& values = program.options.profiles[i].values;
            auto const found = values.find(input.name);
            program.profiles[i].values[slot] = found == values.end() ? ValueRange{} : found->second;
            toLeaves(input, program.profiles[i].values[slot]);
        }
    }
}

} // namespace kiln::compiler
