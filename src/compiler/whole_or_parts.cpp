// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/whole_or_parts.h"

#include <optional>

namespace kiln::compiler {
namespace {

/// Estimates further apart than this are believed.
constexpr double kClose = 2.0;
/// The noise of shorter times exceeds what may be gained.
constexpr double kWorthMeasuring = 20e-6;

/// The time of the fastest kernel in the offered form; nullopt if none runs.
std::optional<double> measured(Program const& program, Extents const& extents,
                               KernelChooser& chooser, OfferedStep const& own) {
    Step const& step = *own.step;
    std::vector<target::OperandSpec> const specs = specsIn(program, extents, step, own.offer.form);
    std::span<target::OperandSpec const> const all(specs);
    KernelChoice const& choice =
        chooser.choose(*step.op, step.name, all.first(step.inputs().size()),
                       all.subspan(step.inputs().size()), KernelChooser::Timing::kAll);
    return choice.found ? std::optional(choice.seconds) : std::nullopt;
}

} // namespace

WholeOrParts compare(Program const& program, Extents const& extents, KernelChooser* chooser,
                     OfferedStep const& whole, std::vector<OfferedStep> const& parts) {
    WholeOrParts result{whole.offer.seconds, 0.0, false};
    for (OfferedStep const& part : parts) {
        result.parts += part.offer.seconds;
    }
    bool const close = result.whole >= kWorthMeasuring && result.whole <= kClose * result.parts &&
                       result.parts <= kClose * result.whole;
    if (!close || chooser == nullptr || program.device == nullptr || !program.device->isHost()) {
        return result;
    }
    WholeOrParts timed{0.0, 0.0, true};
    std::optional<double> seconds = measured(program, extents, *chooser, whole);
    timed.whole = seconds.value_or(0.0);
    for (std::size_t i = 0; i < parts.size() && seconds.has_value(); ++i) {
        seconds = measured(program, extents, *chooser, parts[i]);
        timed.parts += seconds.value_or(0.0);
    }
    return seconds.has_value() ? timed : result;
}

} // namespace kiln::compiler
