// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/fault_word.h"

#include <mutex>
#include <vector>

#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {
namespace {

/// Free fault words in pinned pages. Pages are never freed; allocating one stops the GPU.
class Words {
public:
    int64_t* take() {
        std::lock_guard const lock(mutex_);
        if (free_.empty()) {
            addPage();
        }
        int64_t* const word = free_.back();
        free_.pop_back();
        *word = 0;
        return word;
    }

    void give(int64_t* word) noexcept {
        std::lock_guard const lock(mutex_);
        free_.push_back(word); // never reallocates: addPage() reserved the capacity
    }

private:
    static constexpr std::size_t kPerPage = 512;

    void addPage() {
        int64_t* page = nullptr;
        if (gpuProblem().empty()) {
            void* memory = nullptr;
            check(GpuScope()->memHostAlloc(&memory, kPerPage * sizeof(int64_t),
                                           CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
                  "allocate pinned memory for faults");
            page = static_cast<int64_t*>(memory);
        } else {
            page = new int64_t[kPerPage]; // never freed, like the pinned ones
        }
        total_ += kPerPage;
        free_.reserve(total_);
        for (std::size_t i = 0; i < kPerPage; ++i) {
            free_.push_back(page + i);
        }
    }

    std::mutex mutex_;
    std::vector<int64_t*> free_;
    std::size_t total_ = 0;
};

Words& words() {
    static auto* const all = new Words;
    return *all;
}

} // namespace

FaultWord::FaultWord() : word_(words().take()) {}

FaultWord::~FaultWord() {
    words().give(word_);
}

int64_t FaultWord::take() const noexcept {
    auto* const word = static_cast<int64_t volatile*>(word_);
    int64_t const value = *word;
    *word = 0;
    return value;
}

} // namespace kiln::targets::cuda
