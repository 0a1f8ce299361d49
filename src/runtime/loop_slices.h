// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/document.h"
#include "runtime/bindings.h"
#include "target/device.h"

namespace kiln::runtime {

/// The slices that the passes of a loop read, and those that they leave in stacks, in one run of
/// the loop. Where a slice is aligned as kernels expect, the body reads and writes it in its
/// tensor; else it is copied. Allocates nothing.
class LoopSlices {
public:
    /// `limit`: the number of passes, at most. Throws kInvalidArgument for slices that do not fit.
    LoopSlices(plan::Document const& document, plan::StepRecord const& loop, Bindings& bindings,
               target::Device& device, Table<plan::TensorId, Dims> const& dims,
               target::KernelCall const& call, int64_t limit);

    /// Each tensor gets its own memory again.
    ~LoopSlices();
    LoopSlices(LoopSlices const&) = delete;
    LoopSlices& operator=(LoopSlices const&) = delete;

    /// Brings the slices for a pass, and places those that it will keep. Throws kInvalidArgument if
    /// a tensor has none left.
    void bring(int64_t pass, target::StreamHandle stream);
    /// Keeps those that a pass made, if the stacks have room. The extents that the first pass found
    /// are those of the stacks by now; throws kInvalidArgument if a later one found others.
    void keep(int64_t pass, target::StreamHandle stream);
    /// Fills with zeros what `passes` passes left open.
    void finish(int64_t passes, target::StreamHandle stream);

private:
    std::size_t carried() const noexcept {
        return static_cast<std::size_t>(loop_.control->carried);
    }
    std::size_t bytesOf(plan::TensorId slice) const;
    void* placeInStack(std::size_t output, int64_t pass) const;
    bool isMadeInStack(std::size_t output) const;
    void expectSlices(plan::TensorId slice, plan::TensorId whole) const;
    bool isReversed(std::size_t output) const noexcept;
    /// Whether passes find extents of the slices of a stack.
    bool isFound(std::size_t output) const noexcept;

    plan::Document const& document_;
    plan::StepRecord const& loop_;
    Bindings& bindings_;
    target::Device& device_;
    Table<plan::TensorId, Dims> const& dims_;
    target::KernelCall const call_;
    int64_t const limit_;
};

} // namespace kiln::runtime
