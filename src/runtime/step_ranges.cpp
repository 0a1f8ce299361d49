// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_ranges.h"

namespace kiln::runtime {
namespace {

/// What runs a step: "softmax_reference", "plugin CircPad", "loop".
std::string workOf(plan::Document const& document, plan::StepRecord const& step,
                   std::size_t number) {
    return step.control.has_value() ? step.control->kindName()
           : step.plugin.isNone()   ? step.kernelAt(number).kernel
                                    : "plugin " + document.plugins[step.plugin].id.name;
}

} // namespace

StepRanges::StepRanges(Nvtx const& nvtx, plan::Document const& document, bool detailed)
    : nvtx_(nvtx), document_(document) {
    for (plan::StepRecord const& step : document.steps) {
        std::vector<std::string>& texts = texts_.emplace_back();
        for (std::size_t number = 0; number < step.kernelCount(); ++number) {
            texts.push_back(detailed ? step.name + " [" + workOf(document, step, number) + "]"
                                     : step.name);
        }
    }
}

std::unique_ptr<StepRanges> StepRanges::make(plan::Document const& document,
                                             nvinfer1::ProfilingVerbosity verbosity) {
    if (verbosity == nvinfer1::ProfilingVerbosity::kNONE) {
        return nullptr;
    }
    Nvtx const* const nvtx = Nvtx::attached();
    bool const detailed = verbosity == nvinfer1::ProfilingVerbosity::kDETAILED;
    return nvtx == nullptr ? nullptr
                           : std::unique_ptr<StepRanges>(new StepRanges(*nvtx, document, detailed));
}

std::string const& StepRanges::textOf(std::size_t step, int32_t profile) const {
    std::size_t const kernel = document_.steps[step].kernelFor(static_cast<std::size_t>(profile));
    return texts_[step][kernel];
}

} // namespace kiln::runtime
