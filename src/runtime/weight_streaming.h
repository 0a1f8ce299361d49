// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "plan/document.h"
#include "runtime/device_buffer.h"
#include "runtime/pinned_memory.h"

namespace kiln::runtime {

/// The streamable weights of an engine: constants that only kernels and plugins read, so that a
/// step can read them wherever they are. Up to a budget they stay on the device, smallest first,
/// since each of the others costs a copy; the others are in pinned host memory, and contexts bring
/// them to the device before each step that reads them (WeightSlots).
///
/// Memory is allocated for the first context and released with the last one. On targets whose
/// kernels read host memory, only the numbers are kept. Thread-safe.
class WeightStreaming {
public:
    /// Constants are read from the document when the first context asks for them.
    WeightStreaming(plan::Document const& document, target::Device& device,
                    nvinfer1::IGpuAllocator* allocator);

    /// Whether the constant has its address from here.
    bool owns(plan::TensorId tensor) const { return !device_.isHost() && isStreamable(tensor); }

    uint64_t streamableBytes() const noexcept { return streamableBytes_; }
    /// On the device at most; streamableBytes(): nothing is streamed.
    uint64_t budget() const;
    /// Throws kInvalidState while there are contexts.
    void setBudget(uint64_t bytes);
    /// When the first context is made: all weights if they fit into the free memory, else none.
    void decideLater();
    bool decidesLater() const;
    /// All weights, or what the free memory has room for beside a context.
    uint64_t automaticBudget() const;
    /// Memory of the device that each context needs beside its arena.
    uint64_t scratchBytes() const;
    /// The same for a budget of 0.
    uint64_t mostScratchBytes() const;

    /// RAII: the weights are where contexts expect them, and the budget does not change.
    class Use {
    public:
        explicit Use(WeightStreaming& weights) : weights_(weights) { weights_.enter(); }
        ~Use() { weights_.leave(); }
        Use(Use const&) = delete;
        Use& operator=(Use const&) = delete;

    private:
        WeightStreaming& weights_;
    };

    // While there is a Use.
    /// On the device; null: a context brings it there.
    void* address(plan::TensorId tensor) const;
    /// In pinned memory, of a constant without an address.
    ByteView source(plan::TensorId tensor) const;
    /// Takes other elements, of the same size, from the document. No context runs.
    void refresh(std::span<plan::TensorId const> tensors);

    /// Whether two owned constants are the same bytes.
    bool areSame(plan::TensorId a, plan::TensorId b) const { return blockOf_[a] == blockOf_[b]; }
    /// Bytes of a constant with padding, so that the next one is aligned.
    std::size_t paddedBytes(plan::TensorId tensor) const;
    /// The owned constants that the kernel of a step reads, each once.
    std::vector<plan::TensorId> readBy(plan::StepRecord const& step, std::size_t number) const;

private:
    /// Constants with the same bytes in the plan.
    struct Block {
        plan::TensorId tensor; ///< the first of them
        std::size_t bytes = 0; ///< padded
        bool resident = true;
        std::size_t offset = 0; ///< in the memory of resident blocks, or of the others
    };

    bool isStreamable(plan::TensorId tensor) const { return blockOf_[tensor] >= 0; }
    Block const& blockOf(plan::TensorId tensor) const {
        return blocks_[static_cast<std::size_t>(blockOf_[tensor])];
    }
    void findBlocks();
    void addBlock(std::span<plan::TensorId const> tensors);
    void enter();
    void leave() noexcept;
    void expectUnused() const;
    void choose(uint64_t budget);
    uint64_t scratchFor(std::vector<Block> const& blocks) const;
    void place();
    void bring(Block const& block);

    plan::Document const& document_;
    target::Device& device_;
    nvinfer1::IGpuAllocator* allocator_;
    bool branches_ = false;                  ///< with loops or branches, one slot serves all steps
    Table<plan::TensorId, int32_t> blockOf_; ///< index into blocks_; -1: not streamable
    std::vector<Block> blocks_;              ///< in the order of the plan
    uint64_t streamableBytes_ = 0;

    mutable std::mutex mutex_;
    int32_t uses_ = 0;
    uint64_t budget_ = 0;
    bool decidesLater_ = false;
    DeviceBuffer resident_;
    PinnedMemory streamed_;
};

} // namespace kiln::runtime
