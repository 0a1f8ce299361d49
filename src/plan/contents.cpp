// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/contents.h"

#include <algorithm>
#include <array>

#include "base/hash.h"

namespace kiln::plan {

namespace {

/// Hash of a few pieces of large constants. It tells those of a model apart; reading them all takes
/// as long as writing them.
uint64_t sampleHash(ByteView bytes) {
    constexpr std::size_t kPieces = 16;
    constexpr std::size_t kPiece = 256;
    if (bytes.size() <= kPieces * kPiece) {
        return hashBytes(bytes);
    }
    std::array<std::byte, kPieces * kPiece> sample;
    for (std::size_t i = 0; i < kPieces; ++i) {
        ByteView const piece = bytes.subspan((bytes.size() - kPiece) / (kPieces - 1) * i, kPiece);
        std::ranges::copy(piece, sample.begin() + static_cast<std::ptrdiff_t>(i * kPiece));
    }
    return hashBytes(sample);
}

} // namespace

/// Bytes that look like others are hashed as a whole, once: many that differ in few bytes are not
/// compared with each other.
int32_t Contents::of(ByteView bytes) {
    uint64_t const sample = sampleHash(bytes);
    std::optional<uint64_t> hash;
    auto const hashOf = [](ByteView all, std::optional<uint64_t>& known) {
        known = known.has_value() ? known : hashBytes(all);
        return *known;
    };
    auto const [first, last] = bytes_.equal_range(sample);
    for (auto entry = first; entry != last; ++entry) {
        Known& other = entry->second;
        bool const isSame = other.bytes.size() == bytes.size() &&
                            (other.bytes.data() == bytes.data() ||
                             (hashOf(other.bytes, other.hash) == hashOf(bytes, hash) &&
                              std::ranges::equal(other.bytes, bytes)));
        if (isSame) {
            return other.number;
        }
    }
    bytes_.emplace(sample, Known{bytes, next_, hash});
    return next_++;
}

int32_t Contents::of(std::string key) {
    auto const [entry, isNew] = keys_.try_emplace(std::move(key), next_);
    next_ += isNew ? 1 : 0;
    return entry->second;
}

int32_t Contents::of(target::Recipe const& recipe) {
    for (target::Recipe const* const part : target::partsOf(recipe, target::Parts::kUnknown)) {
        if (recipes_.count(part) != 0) {
            continue;
        }
        if (part->isKnown()) {
            recipes_[part] = of(part->known().view);
            continue;
        }
        std::string key =
            fmt::format("{}|{}|{}|{}|", part->op(), static_cast<int32_t>(part->type().type),
                        static_cast<int32_t>(part->type().format), toText(part->dims()));
        for (target::RecipeOperand const& operand : part->operands()) {
            key += fmt::format("{}:{}:{}|", recipes_.at(operand.recipe.get()),
                               static_cast<int32_t>(operand.recipe->type().type),
                               toText(operand.dims));
        }
        Bytes const& parameters = part->parameters();
        key.append(reinterpret_cast<char const*>(parameters.data()), parameters.size());
        recipes_[part] = of(std::move(key));
    }
    return recipes_.at(&recipe);
}

int32_t Contents::of(TensorRecord const& constant) {
    int32_t const elements = constant.recipe == nullptr ? of(constant.data) : of(*constant.recipe);
    if (constant.packing == nullptr) {
        return elements;
    }
    return of(fmt::format("packed {}|{}", elements, constant.packing->key));
}

} // namespace kiln::plan
