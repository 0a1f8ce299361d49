// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Sizes that plugins compute in a run, and outputs that are allocated in a run.
#include <algorithm>

#include "base/tensor_layout.h"
#include "runtime/context.h"

namespace kiln::runtime {

void Context::clearSizes(std::size_t step, target::StreamHandle stream) {
    for (int32_t const tensor : sizePoints_.writtenBy(step)) {
        backend_.fill(address(tensor), 0,
                      bytesFor(document_.tensors[static_cast<std::size_t>(tensor)].type.type, 1),
                      stream);
    }
}

/// Whether the run must wait for the sizes that a step writes: a later step, an output allocator or
/// a debug listener needs them before the run returns.
bool Context::needsSizes(std::size_t step) const {
    auto const here = static_cast<int32_t>(step);
    return sizePoints_.neededAfter(step) || listener_ != nullptr ||
           std::any_of(allocators_.begin(), allocators_.end(), [&](auto const& entry) {
               return sizePoints_.knownAfter(
                          document_.tensors[static_cast<std::size_t>(entry.first)]) == here;
           });
}

/// Copies the sizes that a step wrote and prepares the steps up to the next such point. If the run
/// does not need the sizes, it does not wait for the copy; foundShape() reads them.
void Context::takeSizes(std::size_t step, target::StreamHandle stream) {
    if (sizePoints_.writtenBy(step).empty()) {
        return;
    }
    for (int32_t const tensor : sizePoints_.writtenBy(step)) {
        sizes_.request(tensor, document_.tensors[static_cast<std::size_t>(tensor)].type.type,
                       address(tensor), stream);
    }
    pendingSizes_.push_back(step);
    graphSizes_ = capturing_;
    if (separate_ && !needsSizes(step)) {
        if (!capturing_) {
            sizes_.mark(stream);
        }
    } else {
        backend_.synchronize(stream);
        int32_t const before = known_;
        readSizes();
        settleShapes(before);
        copies_.upload(backend_, stream);
        provideOutputs(known_, stream);
    }
    reshapeSteps(step + 1, sizePoints_.next(step + 1));
}

/// Reads the copied sizes, in the order of the steps.
void Context::readSizes() {
    for (std::size_t const step : std::exchange(pendingSizes_, {})) {
        for (int32_t const tensor : sizePoints_.writtenBy(step)) {
            plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(tensor)];
            int64_t const size = sizes_.value(tensor, record.type.type);
            int64_t const bound = values_[static_cast<std::size_t>(sizePoints_.nodeOf(tensor).b)];
            if (size < 0 || size > bound) {
                fail(ErrorKind::kPlugin,
                     "[run] layer '{}', size tensor '{}': expected enqueue to write a size from 0 "
                     "to {}, the bound that the plugin declared, got {}. Write at most that many, "
                     "or declare a larger bound.",
                     document_.steps[step].name, record.name, bound, size);
            }
            leaves_.setSize(tensor, size);
        }
        known_ = static_cast<int32_t>(step);
    }
}

/// Computes what became known after step `before` and nothing else, so that the time of a chain of
/// plugins that find sizes grows linearly with its length.
void Context::settleShapes(int32_t before) {
    for (int32_t point = before + 1; point <= known_; ++point) {
        SizePoints::Settled const& settled = sizePoints_.settledBy(static_cast<std::size_t>(point));
        graph::evaluate(document_.exprs, leaves_, values_, settled.exprs);
        for (int32_t const tensor : settled.tensors) {
            auto const index = static_cast<std::size_t>(tensor);
            hostValues_.write(values_, tensor);
            uploadValues(tensor);
            dims_[index] = shapeOf(document_.tensors[index], values_);
            checkResolved(index);
            hideUnknown(tensor);
        }
    }
}

Dims Context::foundShape(int32_t tensor) {
    settleSizes();
    return shapeUpTo(tensor, known_);
}

void Context::settleSizes() {
    if (pendingSizes_.empty() || busy_.load(std::memory_order_relaxed)) {
        return;
    }
    if (!graphSizes_) {
        withSuspects([&] { sizes_.waitForMark(); });
        readSizes();
        return;
    }
    std::vector<std::size_t> const steps = pendingSizes_;
    readSizes();
    pendingSizes_ = steps; // the next launch of the graph may write other sizes
}

/// Calls the user's allocators for outputs whose shape became known after step `known`.
void Context::provideOutputs(int32_t known, target::StreamHandle stream) {
    for (auto const& [tensor, allocator] : allocators_) {
        plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(tensor)];
        if (sizePoints_.knownAfter(record) != known) {
            continue;
        }
        Dims const& dims = dims_[static_cast<std::size_t>(tensor)];
        std::size_t const bytes =
            storageBytes(record.type.type, record.type.format, dims, record.name);
        void* const memory = allocator->reallocateOutputAsync(
            record.name.c_str(), address(tensor), bytes, DeviceBuffer::kAlignment, stream);
        if (memory == nullptr) {
            fail(ErrorKind::kOutOfMemory,
                 "[run] output '{}' of shape {}: its output allocator gave no memory for {} bytes. "
                 "Return an address with so many bytes.",
                 record.name, toText(dims), bytes);
        }
        if (separate_ && memory != address(tensor)) {
            checkAddress(tensor, memory);
        }
        setTarget(tensor, memory);
        allocator->notifyShape(record.name.c_str(), dims);
    }
}

} // namespace kiln::runtime
