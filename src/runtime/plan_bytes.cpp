// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_bytes.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "base/checked.h"
#include "base/mapped_file.h"

namespace kiln::runtime {
namespace {

constexpr std::size_t kAlignment = 64;

class CopiedBytes final : public PlanBytes {
public:
    explicit CopiedBytes(ByteView bytes)
        : data_(static_cast<std::byte*>(
              std::aligned_alloc(kAlignment, roundUp(bytes.size() + 1, kAlignment)))),
          size_(bytes.size()) {
        if (data_ == nullptr) {
            throw std::bad_alloc();
        }
        if (!bytes.empty()) {
            std::memcpy(data_, bytes.data(), bytes.size());
        }
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
