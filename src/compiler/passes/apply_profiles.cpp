// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/passes/passes.h"

namespace kiln::compiler {
namespace {

bool isDynamic(Dims const& dims) {
    return std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent < 0; });
}

void checkCorner(graph::Tensor const& input, std::size_t profile, char const* corner,
                 Dims const& dims) {
    if (dims.nbDims < 0) {
        fail(ErrorKind::kInvalidArgument,
             "[builder] input '{}' has dynamic shape {}, but optimization profile {} gives it no "
             "{} shape. Set the min, opt and max shapes of this input in the profile.",
             input.name, toText(input.declaredDims), profile, corner);
    }
    if (dims.nbDims != input.declaredDims.nbDims) {
        fail(ErrorKind::kInvalidArgument,
             "[builder] input '{}', optimization profile {}, {} shape: expected rank {}, because "
             "the input is declared as {}, got rank {}, {}. Give one extent for each dimension.",
             input.name, profile, corner, input.declaredDims.nbDims, toText(input.declaredDims),
             dims.nbDims, toText(dims));
    }
    bool fits = true;
    for (int32_t axis = 0; fits && axis < dims.nbDims; ++axis) {
        int64_t const declared = input.declaredDims.d[axis];
        fits = dims.d[axis] >= 0 && (declared < 0 || declared == dims.d[axis]);
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "[builder] input '{}', optimization profile {}, {} shape: expected a shape that "
             "matches {}, got {}. Keep the fixed extents and replace each -1.",
             input.name, profile, corner, toText(input.declaredDims), toText(dims));
    }
}

void checkRange(graph::Tensor const& input, std::size_t profile, InputRange const& range) {
    checkCorner(input, profile, "min", range.min);
    checkCorner(input, profile, "opt", range.opt);
    checkCorner(input, profile, "max", range.max);
    for (int32_t axis = 0; axis < range.min.nbDims; ++axis) {
        if (range.min.d[axis] > range.opt.d[axis] || range.opt.d[axis] > range.max.d[axis]) {
            fail(ErrorKind::kInvalidArgument,
                 "[builder] input '{}', optimization profile {}, dimension {}: expected min <= opt "
                 "<= max, got {}, {}, {}. Reorder the shapes.",
                 input.name, profile, axis, range.min.d[axis], range.opt.d[axis],
                 range.max.d[axis]);
        }
    }
}

/// The range over all profiles. The optimum is the first profile's.
InputRange united(graph::Tensor const& input, std::vector<Profile> const& profiles) {
    InputRange all;
    for (std::size_t i = 0; i < profiles.size(); ++i) {
        auto const found = profiles[i].shapes.find(input.name);
        if (found == profiles[i].shapes.end()) {
            checkCorner(input, i, "min", Dims{-1, {}});
        }
        checkRange(input, i, found->second);
        if (i == 0) {
            all = found->second;
        }
        for (int32_t axis = 0; axis < all.min.nbDims; ++axis) {
            all.min.d[axis] = std::min(all.min.d[axis], found->second.min.d[axis]);
            all.max.d[axis] = std::max(all.max.d[axis], found->second.max.d[axis]);
        }
    }
    return all;
}

InputRange& at(std::vector<InputRange>& ranges, std::size_t slot) {
    ranges.resize(std::max(ranges.size(), slot + 1));
    return ranges[slot];
}

void checkCount(std::vector<Profile> const& profiles) {
    if (profiles.size() > plan::kMostProfiles) {
        fail(ErrorKind::kInvalidArgument,
             "[builder] expected at most {} optimization profiles, got {}. Make profiles wider, or "
             "build several engines.",
             plan::kMostProfiles, profiles.size());
    }
}

} // namespace

void applyProfiles(graph::Network const& network, Program& program) {
    std::vector<Profile> const& profiles = program.options.profiles;
    checkCount(profiles);
    program.profiles.resize(std::max<std::size_t>(1, profiles.size()));
    for (graph::Tensor const* input : network.inputs()) {
        auto const slot = static_cast<std::size_t>(input->inputIndex);
        Dims const& dims = input->declaredDims;
        if (!isDynamic(dims)) {
            InputRange const fixed{dims, dims, dims};
            at(program.united.shapes, slot) = fixed;
            for (Ranges& ranges : program.profiles) {
                at(ranges.shapes, slot) = fixed;
            }
            continue;
        }
        if (profiles.empty()) {
            fail(ErrorKind::kInvalidArgument,
                 "[builder] input '{}' has dynamic shape {}, but the configuration has no "
                 "optimization profile. Add one with min, opt and max shapes of this input.",
                 input->name, toText(dims));
        }
        at(program.united.shapes, slot) = united(*input, profiles);
        for (std::size_t i = 0; i < profiles.size(); ++i) {
            at(program.profiles[i].shapes, slot) = profiles[i].shapes.at(input->name);
        }
    }
    for (std::size_t i = 0; i < profiles.size(); ++i) {
        auto const warnOfStrangers = [&](auto const& entries) {
            for (auto const& entry : entries) {
                if (std::none_of(network.inputs().begin(), network.inputs().end(),
                                 [&](auto const* input) { return input->name == entry.first; })) {
                    program.options.log.warning("[builder] optimization profile {} names '{}', "
                                                "which is not an input of the network. Use "
                                                "the name of an input.",
                                                i, entry.first);
                }
            }
        };
        warnOfStrangers(profiles[i].shapes);
        warnOfStrangers(profiles[i].values);
    }
}

} // namespace kiln::compiler
