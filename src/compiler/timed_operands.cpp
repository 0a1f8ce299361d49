// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/timed_operands.h"

#include <unistd.h>

#include <algorithm>

#include "base/parallel.h"

namespace kiln::compiler {
namespace {

// Copies of large constants are used in turn, this much in all, so that caches do not hold them.
constexpr std::size_t kCacheBytes = std::size_t{64} << 20;
constexpr std::size_t kMostCopies = 64;
constexpr std::size_t kMostHostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostHostCopies = 16; // about as many as there are runs
constexpr std::size_t kLeastHostBytes = std::size_t{64} << 10;

/// Large constants are used where they are, if the device can. Smaller ones are copied, because
/// they may not be aligned as in a plan.
bool isLargeConstant(target::OperandSpec const& operand) {
    constexpr std::size_t kLarge = std::size_t{4} << 20;
    return operand.constant && operand.data.size() >= kLarge &&
           target::isAligned(operand.data, operand.type.type);
}

// On a host, tensors of this size share memory: each of them is larger than the caches near the
// cores, so times change little, and a build must not need several times the memory of a run.
constexpr std::size_t kShared = std::size_t{16} << 20;

/// Integers may be indices, which results must not overwrite.
bool maySharePlace(target::OperandSpec const& operand, std::size_t bytes) {
    return bytes >= kShared && !operand.constant && isFloating(operand.type.type);
}

bool hasCopies(Program const& program, target::OperandSpec const& operand) {
    std::size_t const least =
        program.device->isHost() ? kLeastHostBytes : kCacheBytes / kMostCopies;
    return operand.constant && !operand.host && operand.data.size() >= least;
}

/// How much of constants a host reads between two runs of a layer, at most what the caches of its
/// threads hold. The cache that all cores share is not counted: it holds the weights of most
/// networks.
std::size_t hostCacheBytes(Program const& program) {
    long const own = sysconf(_SC_LEVEL2_CACHE_SIZE); // 0 or -1 if it is not known
    std::size_t const caches =
        static_cast<std::size_t>(std::max(own, 0L)) * static_cast<std::size_t>(threadCount());
    return std::min({caches, kMostHostBytes, weightBytes(program)});
}

/// The number of copies of constants of `bytes` in all.
std::size_t copiesOf(Program const& program, std::size_t bytes) {
    if (bytes == 0) {
        return 1;
    }
    bool const host = program.device->isHost();
    std::size_t const wanted = host ? hostCacheBytes(program) : kCacheBytes;
    std::size_t const copies = (wanted + bytes - 1) / bytes;
    return std::clamp<std::size_t>(copies, 1, host ? kMostHostCopies : kMostCopies);
}

} // namespace

std::size_t weightBytes(Program const& program) {
    std::size_t bytes = 0;
    for (Value const& value : program.values()) {
        if (value.role == plan::TensorRole::kConstant && value.recipe != nullptr) {
            bytes += value.recipe->bytes();
        }
    }
    return bytes;
}

TimedOperands::TimedOperands(Program const& program, std::span<target::OperandSpec const> inputs,
                             std::span<target::OperandSpec const> outputs, uint64_t workspaceBytes,
                             target::StreamHandle stream, OperandMemory* shared)
    : program_(program), inputs_(inputs.size()), stream_(stream),
      memory_(program.device->isHost() ? shared : nullptr) {
    std::size_t bytes = 0;
    for (target::OperandSpec const& input : inputs) {
        bytes += hasCopies(program, input) ? input.data.size() : 0;
    }
    pointers_.resize(copiesOf(program, bytes));
    for (auto const& operands : {inputs, outputs}) {
        for (target::OperandSpec const& operand : operands) {
            add(operand);
        }
    }
    if (workspaceBytes > 0) {
        workspace_ = allocateShared(workspaceBytes, "the workspace of a timed layer");
    }
}

void* TimedOperands::allocate(std::size_t bytes, char const* what) {
    bytes_ += bytes;
    ownBytes_ += bytes;
    return buffers_.emplace_back(*program_.device, bytes, what, program_.options.memory).data();
}

/// Memory whose contents do not matter: other candidates for the layer may have it as well.
void* TimedOperands::allocateShared(std::size_t bytes, char const* what) {
    if (memory_ == nullptr) {
        return allocate(bytes, what);
    }
    bytes_ += bytes;
    std::size_t const position = pointers_.front().size(); // of the operand
    taken_.emplace_back(position, position);
    return memory_->take(position, bytes);
}

void TimedOperands::refresh() {
    for (auto const& [operand, position] : taken_) {
        void* const place = memory_->at(position);
        if (operand == pointers_.front().size()) {
            workspace_ = place;
            continue;
        }
        for (std::vector<void*>& pointers : pointers_) {
            pointers[operand] = place;
        }
    }
}

void TimedOperands::add(target::OperandSpec const& operand) {
    bool const isConstant = operand.constant && !operand.isAbsent() && !operand.host;
    std::size_t const copies = hasCopies(program_, operand) ? pointers_.size() : 1;
    void* const first = operand.isAbsent() ? nullptr
                        : operand.host     ? const_cast<std::byte*>(operand.data.data())
                        : isConstant       ? constant(operand, 0)
                                           : tensor(operand);
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
        pointers_[i].push_back(i == 0 || i >= copies ? first : copyOf(operand, i, first));
    }
}

/// A copy, or the original if there is no memory for one.
void* TimedOperands::copyOf(target::OperandSpec const& operand, std::size_t copy, void* original) {
    try {
        return constant(operand, copy);
    } catch (Error const& error) {
        if (error.kind() != ErrorKind::kOutOfMemory) {
            throw;
        }
        return original;
    }
}

/// Copy number `copy` of a constant.
void* TimedOperands::constant(target::OperandSpec const& operand, std::size_t copy) {
    if (copy == 0 && program_.device->isHost() && isLargeConstant(operand)) {
        return const_cast<std::byte*>(operand.data.data());
    }
    std::size_t const bytes = operand.data.size(); // may be packed
    if (memory_ != nullptr) {
        bytes_ += bytes;
        ownBytes_ += bytes;
        return constants_.emplace_back(memory_->constant(operand.data, copy))->data();
    }
    void* const data = allocate(std::max<std::size_t>(bytes, 1), "a constant of a timed layer");
    if (bytes > 0) {
        program_.device->copy(data, operand.data.data(), bytes, target::CopyKind::kHostToDevice,
                              stream_);
    }
    return data;
}

/// Memory with zeros.
void* TimedOperands::tensor(target::OperandSpec const& operand) {
    std::size_t const bytes = target::bytesIn(program_.backend.layouts(), operand.type,
                                              operand.room.nbDims < 0 ? operand.opt : operand.room,
                                              "operand of a timed layer");
    bool const isLarge = program_.device->isHost() && maySharePlace(operand, bytes);
    if (isLarge && largeBytes_ >= bytes) {
        if (memory_ != nullptr) {
            taken_.emplace_back(pointers_.front().size(), large_);
        }
        return pointers_.front()[large_];
    }
    if (isLarge) {
        large_ = pointers_.front().size();
        largeBytes_ = bytes;
    }
    void* const data =
        allocateShared(std::max<std::size_t>(bytes, 1), "an operand of a timed layer");
    program_.device->fill(data, 0, bytes, stream_);
    return data;
}

} // namespace kiln::compiler
