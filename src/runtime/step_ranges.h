// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/nvtx.h"
#include "plan/document.h"

namespace kiln::runtime {

/// The ranges that a profiler sees while a context runs: one for the run, and inside of it one for
/// each layer, with its name, or its name and kernel. Ranges are those of the host: they last while
/// work is put on the stream.
class StepRanges {
public:
    /// Null if no profiler is attached, or if it is to see nothing.
    static std::unique_ptr<StepRanges> make(plan::Document const& document,
                                            nvinfer1::ProfilingVerbosity verbosity);

    /// RAII: a range; of null, none.
    class Scope {
    public:
        explicit Scope(StepRanges const* ranges)
            : Scope(ranges, ranges == nullptr ? nullptr : "ExecutionContext::enqueue") {}
        Scope(StepRanges const* ranges, std::size_t step, int32_t profile)
            : Scope(ranges, ranges == nullptr ? nullptr : ranges->textOf(step, profile).c_str()) {}
        ~Scope() {
            if (nvtx_ != nullptr) [[unlikely]] {
                nvtx_->pop();
            }
        }
        Scope(Scope const&) = delete;
        Scope& operator=(Scope const&) = delete;

    private:
        Scope(StepRanges const* ranges, char const* text)
            : nvtx_(ranges == nullptr ? nullptr : &ranges->nvtx_) {
            if (nvtx_ != nullptr) [[unlikely]] {
                nvtx_->push(text);
            }
        }
        Nvtx const* nvtx_;
    };

private:
    StepRanges(Nvtx const& nvtx, plan::Document const& document, bool detailed);
    std::string const& textOf(std::size_t step, int32_t profile) const;

    Nvtx const& nvtx_;
    plan::Document const& document_;
    std::vector<std::vector<std::string>> texts_; ///< by step and number of the kernel
};

} // namespace kiln::runtime
