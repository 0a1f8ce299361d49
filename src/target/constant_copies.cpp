// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/constant_copies.h"

namespace kiln::target {
namespace {

thread_local ConstantCopies* innermost = nullptr;

std::shared_ptr<std::vector<float> const> converted(ByteView halves, ToFloats convert) {
    auto floats = std::make_shared<std::vector<float>>(halves.size() / sizeof(Half));
    convert(reinterpret_cast<Half const*>(halves.data()), floats->data(),
            static_cast<int64_t>(floats->size()));
    return floats;
}

} // namespace

std::shared_ptr<std::vector<float> const> ConstantCopies::halvesAsFloats(ByteView halves,
                                                                         ToFloats convert) {
    auto const [entry, added] = known_.try_emplace({halves.data(), halves.size()});
    if (added) {
        std::size_t const bytes = halves.size() / sizeof(Half) * sizeof(float);
        if (bytes <= left_) {
            left_ -= bytes;
            entry->second = converted(halves, convert);
        }
    }
    return entry->second;
}

ConstantCopies::Scope::Scope(ConstantCopies& copies) : outer_(std::exchange(innermost, &copies)) {}

ConstantCopies::Scope::~Scope() {
    innermost = outer_;
}

ConstantCopies* ConstantCopies::current() noexcept {
    return innermost;
}

std::shared_ptr<std::vector<float> const> halvesAsFloats(ByteView halves, ToFloats convert) {
    ConstantCopies* const shared = ConstantCopies::current();
    return shared == nullptr ? converted(halves, convert) : shared->halvesAsFloats(halves, convert);
}

} // namespace kiln::target
