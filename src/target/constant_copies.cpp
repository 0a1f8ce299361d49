// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/constant_copies.h"

#include <cstdint>
#include <new>
#include <utility>

namespace kiln::target {
namespace {

thread_local ConstantCopies* innermost = nullptr;

ConvertedPtr made(std::size_t count, FillCopy const& fill) {
    auto copy = std::make_shared<ConvertedConstant>(count);
    fill(copy->floats());
    return copy;
}

} // namespace

ConvertedConstant::ConvertedConstant(std::size_t count) : count_(count) {
    constexpr std::size_t kUnit = kAlignment / sizeof(float);
    if (count > SIZE_MAX / sizeof(float) - kUnit) {
        throw std::bad_alloc();
    }
    std::size_t const units = count / kUnit + 1; // an empty copy has an address as well
    floats_.reset(static_cast<float*>(std::aligned_alloc(kAlignment, units * kAlignment)));
    if (floats_ == nullptr) {
        throw std::bad_alloc();
    }
}

bool CopyBudget::take(std::size_t bytes) noexcept {
    std::size_t left = left_.load();
    while (bytes <= left) {
        if (left_.compare_exchange_weak(left, left - bytes)) {
            return true;
        }
    }
    return false;
}

ConvertedPtr ConstantCopies::converted(ByteView elements, std::string_view way, std::size_t count,
                                       FillCopy const& fill) {
    Key const key{elements.data(), elements.size(), way};
    if (auto const found = known_.find(key); found != known_.end()) {
        return found->second;
    }
    ConvertedPtr copy;
    if (count <= SIZE_MAX / sizeof(float) && budget_->take(count * sizeof(float))) {
        copy = made(count, fill);
    }
    known_.emplace(key, copy);
    return copy;
}

ConstantCopies::Scope::Scope(ConstantCopies& copies) : outer_(std::exchange(innermost, &copies)) {}

ConstantCopies::Scope::~Scope() {
    innermost = outer_;
}

ConstantCopies* ConstantCopies::current() noexcept {
    return innermost;
}

ConvertedPtr converted(ByteView elements, std::string_view way, std::size_t count,
                       FillCopy const& fill) {
    ConstantCopies* const shared = ConstantCopies::current();
    return shared == nullptr ? made(count, fill) : shared->converted(elements, way, count, fill);
}

ConvertedPtr halvesAsFloats(ByteView halves, ToFloats convert) {
    return converted(halves, "halves as floats", halves.size() / sizeof(Half),
                     [&](std::span<float> to) {
                         convert(reinterpret_cast<Half const*>(halves.data()), to.data(),
                                 static_cast<int64_t>(to.size()));
                     });
}

} // namespace kiln::target
