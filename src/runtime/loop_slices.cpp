// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/loop_slices.h"

#include <algorithm>

namespace kiln::runtime {
namespace {

/// Whether kernels may take an address and the next one as tensors.
bool isAligned(void const* address, std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(address) % plan::kViewAlignment == 0 &&
           bytes % plan::kViewAlignment == 0;
}

} // namespace

LoopSlices::LoopSlices(plan::Document const& document, plan::StepRecord const& loop,
                       Bindings& bindings, target::Device& device,
                       Table<plan::TensorId, Dims> const& dims, target::KernelCall const& call,
                       int64_t limit)
    : document_(document), loop_(loop), bindings_(bindings), device_(device), dims_(dims),
      call_(call), limit_(limit) {
    plan::ControlRecord const& control = *loop.control;
    for (std::size_t i = 0; i < control.slices.size(); ++i) {
        expectSlices(control.slices[i], loop.inputs[carried() + i]);
    }
    for (std::size_t i = carried(); i < loop.outputs.size(); ++i) {
        if (!isFound(i)) {
            expectSlices(control.bodies[0].outputs[i], loop.outputs[i]);
        }
    }
}

void LoopSlices::bring(int64_t pass, target::StreamHandle stream) {
    std::vector<plan::TensorId> const& slices = loop_.control->slices;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        bool const backward =
            i + static_cast<std::size_t>(loop_.control->backward) >= slices.size();
        int64_t const index = backward ? limit_ - 1 - pass : pass;
        plan::TensorId const whole = loop_.inputs[carried() + i];
        if (index >= dims_[whole].d[0]) {
            fail(ErrorKind::kInvalidArgument,
                 "[run] loop '{}': expected tensor '{}' to have a slice for each pass, got {} "
                 "slices for pass {}. Give it more, or lower the number of passes.",
                 loop_.name, document_.tensors[whole].name, dims_[whole].d[0], index);
        }
        std::size_t const bytes = bytesOf(slices[i]);
        auto const* const from = static_cast<std::byte const*>(call_.inputs[carried() + i]) +
                                 bytes * static_cast<std::size_t>(index);
        if (isAligned(from, bytes)) {
            bindings_.set(slices[i], const_cast<std::byte*>(from)); // no step writes it
        } else {
            bindings_.set(slices[i], bindings_.ownMemory(slices[i]));
            if (bytes == 0) {
                continue;
            }
            device_.copy(bindings_.ownMemory(slices[i]), from, bytes,
                         target::CopyKind::kDeviceToDevice, stream);
        }
    }
    for (std::size_t i = carried(); i < loop_.outputs.size(); ++i) {
        plan::TensorId const slice = loop_.control->bodies[0].outputs[i];
        if (isMadeInStack(i)) {
            void* const place = placeInStack(i, pass);
            bindings_.set(slice, place == nullptr ? bindings_.ownMemory(slice) : place);
        }
    }
}

void LoopSlices::keep(int64_t pass, target::StreamHandle stream) {
    for (std::size_t i = carried(); i < loop_.outputs.size(); ++i) {
        plan::TensorId const slice = loop_.control->bodies[0].outputs[i];
        if (isFound(i)) {
            expectSlices(slice, loop_.outputs[i]);
        }
        void* const place = placeInStack(i, pass);
        std::size_t const bytes = bytesOf(slice);
        if (place != nullptr && bytes != 0 && place != bindings_.address(slice)) {
            device_.copy(place, bindings_.address(slice), bytes, target::CopyKind::kDeviceToDevice,
                         stream);
        }
    }
}

/// Where a pass leaves its part of a stack; null if the stack has no room.
void* LoopSlices::placeInStack(std::size_t output, int64_t pass) const {
    int64_t const count = dims_[loop_.outputs[output]].d[0];
    if (pass >= count) {
        return nullptr;
    }
    auto const index = static_cast<std::size_t>(isReversed(output) ? count - 1 - pass : pass);
    return static_cast<std::byte*>(bindings_.address(loop_.outputs[output])) +
           bytesOf(loop_.control->bodies[0].outputs[output]) * index;
}

/// Whether the body writes a kept value straight to its stack: it has memory of its own, which is
/// no carried value's.
bool LoopSlices::isMadeInStack(std::size_t output) const {
    std::vector<plan::TensorId> const& results = loop_.control->bodies[0].outputs;
    plan::TensorRecord const& record = document_.tensors[results[output]];
    return !isFound(output) && record.role == plan::TensorRole::kInternal &&
           record.sharesWith.isNone() &&
           std::count(results.begin(), results.end(), results[output]) == 1 &&
           isAligned(bindings_.address(loop_.outputs[output]), bytesOf(results[output]));
}

LoopSlices::~LoopSlices() {
    for (plan::TensorId const slice : loop_.control->slices) {
        bindings_.set(slice, bindings_.ownMemory(slice));
    }
    for (std::size_t i = carried(); i < loop_.outputs.size(); ++i) {
        plan::TensorId const slice = loop_.control->bodies[0].outputs[i];
        if (isMadeInStack(i)) {
            bindings_.set(slice, bindings_.ownMemory(slice));
        }
    }
}

void LoopSlices::finish(int64_t passes, target::StreamHandle stream) {
    for (std::size_t i = carried(); i < loop_.outputs.size(); ++i) {
        int64_t const count = dims_[loop_.outputs[i]].d[0];
        int64_t const open = std::max<int64_t>(count - passes, 0);
        // Without a pass, the shape of a slice may be unknown.
        std::size_t const all = bytesOf(loop_.outputs[i]);
        std::size_t const bytes = count > 0 ? all / static_cast<std::size_t>(count) : 0;
        if (open > 0 && bytes != 0) {
            auto const first = static_cast<std::size_t>(isReversed(i) ? 0 : count - open);
            auto* const to = static_cast<std::byte*>(bindings_.address(loop_.outputs[i]));
            device_.fill(to + bytes * first, 0, bytes * static_cast<std::size_t>(open), stream);
        }
    }
}

bool LoopSlices::isReversed(std::size_t output) const noexcept {
    return output + static_cast<std::size_t>(loop_.control->reversed) >= loop_.outputs.size();
}

bool LoopSlices::isFound(std::size_t output) const noexcept {
    std::vector<plan::FoundExtent> const& extents = loop_.control->extents;
    return std::any_of(extents.begin(), extents.end(), [&](plan::FoundExtent const& extent) {
        return static_cast<std::size_t>(extent.output) == output;
    });
}

std::size_t LoopSlices::bytesOf(plan::TensorId slice) const {
    return document_.tensors[slice].bytesAt(dims_[slice]);
}

/// The plan has been checked for ranks and types.
void LoopSlices::expectSlices(plan::TensorId slice, plan::TensorId whole) const {
    Dims const& part = dims_[slice];
    Dims const& all = dims_[whole];
    if (!std::equal(part.d, part.d + part.nbDims, all.d + 1, all.d + all.nbDims)) {
        fail(ErrorKind::kInvalidArgument,
             "[run] loop '{}': expected slices of '{}', of shape {}, in each pass, got {}. Use "
             "shapes that stay the same in all passes.",
             loop_.name, document_.tensors[whole].name, toText(all), toText(part));
    }
}

} // namespace kiln::runtime
