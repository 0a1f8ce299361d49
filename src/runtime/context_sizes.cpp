// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Sizes that plugins find out while they run, and outputs that get their memory in the run.
#include <algorithm>

#include "base/tensor_layout.h"
#include "runtime/context.h"

namespace kiln::runtime {

void Context::clearSizes(std::size_t step, backend::StreamHandle stream) {
    for (int32_t const tensor : sizePoints_.writtenBy(step)) {
        backend_.fill(address(tensor), 0,
                      bytesFor(document_.tensors[static_cast<std::size_t>(tensor)].type.type, 1),
                      stream);
    }
}

/// Whether the run can not go on without the sizes that a step writes: a later step is shaped by
/// them, an output allocator has to hear of them before the run returns, or a debug listener.
bool Context::needsSizes(std::size_t step) const {
    auto const here = static_cast<int32_t>(step);
    return sizePoints_.neededAfter(step) || listener_ != nullptr ||
           std::any_of(allocators_.begin(), allocators_.end(), [&](auto const& entry) {
               return sizePoints_.knownAfter(
                          document_.tensors[static_cast<std::size_t>(entry.first)]) == here;
           });
}

/// Fetches the sizes that a step found out, and shapes the steps up to the next such point. Where
/// nothing needs them, they come while the run goes on, for foundShape() to read.
void Context::takeSizes(std::size_t step, backend::StreamHandle stream) {
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
        readSizes();
        resolveShapes();
        copies_.upload(backend_, stream);
        provideOutputs(known_, stream);
    }
    reshapeSteps(step + 1, sizePoints_.next(step + 1));
}

/// Reads what was fetched, in the order of the steps.
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
    pendingSizes_ = steps; // the next launch of the graph may find others
}

/// Asks the user's allocators for outputs whose shape is known since step `known`.
void Context::provideOutputs(int32_t known, backend::StreamHandle stream) {
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
