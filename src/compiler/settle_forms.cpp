// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The choice of forms. A change of one step is judged by its time and the casts to and from its
// neighbours as they are; sweeps over the steps repeat that until nothing changes, from several
// starting points.
#include <algorithm>

#include "compiler/form_choice.h"

namespace kiln::compiler {
namespace {

// Cost model of a cast: one pass over memory and one more step, on a host and on a device.
struct CastCost {
    double bytesPerSecond;
    double stepSeconds;
};
constexpr CastCost kHostCast{8e9, 1e-6};
constexpr CastCost kDeviceCast{2e12, 2.5e-6};
constexpr int32_t kMostSweeps = 8;
constexpr double kForbiddenSeconds = 1e6; ///< of a cast that insertCasts() would refuse

class Settling {
public:
    Settling(Program const& program, std::vector<Extents> const& profiles, FormChoices& choices)
        : program_(program), profiles_(profiles), choices_(choices) {}

    /// Sweeps from several starting points and keeps the best result: a sweep changes one step at a
    /// time, and a chain of convolutions is only faster in another format as a whole.
    void run() {
        std::vector<std::vector<std::size_t>> const starts{
            startingAt([](FormChoice const&) { return std::size_t{0}; }),
            startingAt([](FormChoice const& choice) {
                auto const least = std::min_element(choice.seconds.begin(), choice.seconds.end());
                return static_cast<std::size_t>(least - choice.seconds.begin());
            }),
            startingAt([](FormChoice const& choice) {
                auto const isLast = [](target::OperandType type) {
                    return type.format == TensorFormat::kHWC || type.format == TensorFormat::kDHWC;
                };
                for (std::size_t i = 0; i < choice.options.size(); ++i) {
                    if (std::any_of(choice.options[i].begin(), choice.options[i].end(), isLast)) {
                        return i;
                    }
                }
                return std::size_t{0};
            }),
        };
        std::vector<std::size_t> best;
        double least = 0.0;
        for (std::vector<std::size_t> const& start : starts) {
            assign(start);
            sweep();
            double const seconds = total();
            if (best.empty() || seconds < least) {
                least = seconds;
                best = taken();
            }
        }
        assign(best);
    }

private:
    double castSeconds(ValueId value, target::OperandType from, target::OperandType to) const {
        Value const& own = program_.value(value);
        if (from == to || own.role == plan::TensorRole::kConstant) {
            return 0.0; // constants are converted at build time
        }
        auto const bytesAs = [&](target::OperandType const& type, Dims const& dims) {
            auto const traits = target::traitsIn(program_.backend.layouts(), type, dims.nbDims);
            uint64_t bytes = 0;
            return traits && storageBytes(type.type, *traits, dims, bytes)
                       ? static_cast<double>(bytes)
                       : 0.0;
        };
        double bytes = 0.0; // mean over the profiles
        for (Extents const& extents : profiles_) {
            bytes += bytesAs(from, extents.opt[value]) + bytesAs(to, extents.opt[value]);
        }
        bytes /= static_cast<double>(profiles_.size());
        CastCost const cost = program_.backend.readsHostMemory() ? kHostCast : kDeviceCast;
        return cost.stepSeconds + bytes / cost.bytesPerSecond;
    }

    /// The type in which a value is produced, by the current choices.
    target::OperandType madeAs(ValueId value) const {
        StepId const id = program_.value(value).producer();
        if (id == StepId::kNone) {
            return program_.value(value).type;
        }
        Step const& step = program_.step(id);
        auto const output = std::find(step.outputs().begin(), step.outputs().end(), value);
        return choices_[id].types()[step.inputs().size() +
                                    static_cast<std::size_t>(output - step.outputs().begin())];
    }

    double costOf(StepId id, std::size_t option) const {
        Step const& step = program_.step(id);
        Combination const& types = choices_[id].options[option];
        double cost = choices_[id].seconds[option];
        for (std::size_t i = 0; i < step.inputs().size(); ++i) {
            Value const& value = program_.value(step.inputs()[i]);
            cost += castSeconds(step.inputs()[i], madeAs(step.inputs()[i]), types[i]);
            if (value.direct && value.role == plan::TensorRole::kInput && value.type != types[i]) {
                cost += kForbiddenSeconds;
            }
        }
        for (std::size_t i = 0; i < step.outputs().size(); ++i) {
            cost += castsOf(step.outputs()[i], types[step.inputs().size() + i]);
        }
        return cost;
    }

    template <typename Pick>
    std::vector<std::size_t> startingAt(Pick const& pick) const {
        std::vector<std::size_t> start;
        for (FormChoice const& choice : choices_) {
            start.push_back(choice.options.empty() ? 0 : pick(choice));
        }
        return start;
    }

    void assign(std::vector<std::size_t> const& options) {
        std::size_t i = 0;
        for (FormChoice& choice : choices_) {
            choice.taken = options[i++];
        }
    }

    std::vector<std::size_t> taken() const {
        std::vector<std::size_t> options;
        for (FormChoice const& choice : choices_) {
            options.push_back(choice.taken);
        }
        return options;
    }

    void sweep() {
        bool changed = true;
        for (int32_t round = 0; changed && round < kMostSweeps; ++round) {
            changed = false;
            for (StepId const id : program_.order()) {
                FormChoice& choice = choices_[id];
                std::size_t best = choice.taken;
                double least = choice.options.size() > 1 ? costOf(id, best) : 0.0;
                for (std::size_t option = 0;
                     choice.options.size() > 1 && option < choice.options.size(); ++option) {
                    double const cost = costOf(id, option);
                    if (cost < least) {
                        least = cost;
                        best = option;
                    }
                }
                changed = changed || best != choice.taken;
                choice.taken = best;
            }
        }
    }

    /// Time of the whole program with the current choices, casts and reformats included.
    double total() const {
        double seconds = 0.0;
        for (StepId const id : program_.order()) {
            seconds += choices_[id].seconds[choices_[id].taken] + castsBehind(id);
            Step const& step = program_.step(id);
            for (std::size_t i = 0; i < step.inputs().size(); ++i) {
                if (program_.producerOf(step.inputs()[i]) == nullptr) {
                    seconds += castSeconds(step.inputs()[i], madeAs(step.inputs()[i]),
                                           choices_[id].types()[i]);
                }
            }
        }
        return seconds;
    }

    /// Casts and reformats of a step's outputs for their users, with the current choices.
    double castsBehind(StepId id) const {
        Step const& step = program_.step(id);
        double seconds = 0.0;
        for (std::size_t i = 0; i < step.outputs().size(); ++i) {
            seconds += castsOf(step.outputs()[i], choices_[id].types()[step.inputs().size() + i]);
        }
        return seconds;
    }

    /// Casts and reformats of one value that is made as `made`. One serves all users of a type.
    double castsOf(ValueId value, target::OperandType made) const {
        double seconds = 0.0;
        Value const& own = program_.value(value);
        if (own.role == plan::TensorRole::kOutput) {
            seconds += castSeconds(value, made, own.type);
            seconds += own.direct && made != own.type ? kForbiddenSeconds : 0.0;
        }
        std::vector<target::OperandType> wanted;
        for (Use const& use : own.users()) {
            target::OperandType const& type = choices_[use.step].types()[use.operand];
            if (std::find(wanted.begin(), wanted.end(), type) == wanted.end()) {
                wanted.push_back(type);
                seconds += castSeconds(value, made, type);
            }
        }
        return seconds;
    }

    Program const& program_;
    std::vector<Extents> const& profiles_;
    FormChoices& choices_;
};

} // namespace

void settleForms(Program const& program, std::vector<Extents> const& profiles,
                 FormChoices& choices) {
    Settling(program, profiles, choices).run();
}

} // namespace kiln::compiler
