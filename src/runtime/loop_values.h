// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/document.h"
#include "runtime/bindings.h"

namespace kiln::runtime {

/// The values that a loop carries from pass to pass, in one run of it. Where the current and the
/// next value have memory of their own, their tensors exchange it behind each pass; others are
/// copied. Allocates nothing.
class LoopValues {
public:
    LoopValues(plan::Document const& document, plan::StepRecord const& loop, Bindings& bindings)
        : document_(document), loop_(loop), bindings_(bindings) {}
    /// Each tensor gets its own memory again.
    ~LoopValues();
    LoopValues(LoopValues const&) = delete;
    LoopValues& operator=(LoopValues const&) = delete;

    /// Whether a carried value is not copied.
    bool isExchanged(std::size_t output) const;
    /// Whether the current values lie in the memory of the next ones.
    bool areExchanged() const noexcept { return areExchanged_; }
    /// Exchanges the memory of the current and the next values. The last pass writes to the memory
    /// of the outputs if this is called an odd number of times before it.
    void exchange();

private:
    plan::Document const& document_;
    plan::StepRecord const& loop_;
    Bindings& bindings_;
    bool areExchanged_ = false;
};

} // namespace kiln::runtime
