// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_bytes.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/checked.h"
#include "base/huge_pages.h"
#include "base/mapped_file.h"
#include "base/parallel.h"

namespace kiln::runtime {
namespace {

constexpr std::size_t kAlignment = 64;

/// Uninitialized memory for `bytes` bytes; null if there is none.
std::byte* newMemory(std::size_t bytes) {
    std::size_t const unit = bytes < 2 * kHugePage ? kAlignment : kHugePage;
    if (bytes > SIZE_MAX - unit) {
        return nullptr;
    }
    std::size_t const room = roundUp(bytes + 1, unit);
    void* const memory = std::aligned_alloc(unit, room);
    if (memory != nullptr && unit == kHugePage) {
        useHugePages(memory, room);
    }
    return static_cast<std::byte*>(memory);
}

class CopiedBytes final : public PlanBytes {
public:
    explicit CopiedBytes(ByteView bytes) : data_(newMemory(bytes.size())), size_(bytes.size()) {
        if (data_ == nullptr) {
            throw std::bad_alloc();
        }
        // Most of the time goes into the first access to each page.
        parallelFor(static_cast<int64_t>(bytes.size()), kHugePage, [&](int64_t begin, int64_t end) {
            std::memcpy(data_ + begin, bytes.data() + begin, static_cast<std::size_t>(end - begin));
        });
    }
    ~CopiedBytes() override { std::free(data_); }
    CopiedBytes(CopiedBytes const&) = delete;
    CopiedBytes& operator=(CopiedBytes const&) = delete;

    ByteView view() const noexcept override { return {data_, size_}; }

private:
    std::byte* data_;
    std::size_t size_;
};

class MappedBytes final : public PlanBytes {
public:
    explicit MappedBytes(std::string const& path) : file_(path) {}
    ByteView view() const noexcept override { return file_.bytes(); }

private:
    MappedFile file_;
};

} // namespace

std::shared_ptr<PlanBytes const> copyOfPlan(ByteView bytes) {
    return std::make_shared<CopiedBytes>(bytes);
}

std::shared_ptr<PlanBytes const> mappedPlan(std::string const& path) {
    return std::make_shared<MappedBytes>(path);
}

} // namespace kiln::runtime
