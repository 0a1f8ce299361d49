// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace kiln::targets::cpu {

/// A rectangle with its area.
struct Box {
    float left;
    float top;
    float right;
    float bottom;
    float area;
};

/// From two opposite corners in any order, or from centre and extents.
inline Box boxOf(std::array<float, 4> const& numbers, bool isCenter) noexcept {
    auto const [a, b, c, d] = numbers;
    float const x0 = isCenter ? a - 0.5F * c : a;
    float const y0 = isCenter ? b - 0.5F * d : b;
    float const x1 = isCenter ? a + 0.5F * c : c;
    float const y1 = isCenter ? b + 0.5F * d : d;
    Box box{std::min(x0, x1), std::min(y0, y1), std::max(x0, x1), std::max(y0, y1), 0.0F};
    box.area = (box.right - box.left) * (box.bottom - box.top);
    return box;
}

/// Boxes of which the compiler can compare several at once with another one.
class BoxList {
public:
    /// Memory for `room` boxes, 5 numbers each.
    BoxList(float* memory, int64_t room) noexcept : memory_(memory), room_(room) {}

    int64_t count() const noexcept { return count_; }

    void add(Box const& box) noexcept {
        float const numbers[] = {box.left, box.top, box.right, box.bottom, box.area};
        for (int64_t i = 0; i < 5; ++i) {
            memory_[i * room_ + count_] = numbers[i];
        }
        ++count_;
    }

    /// Whether the intersection over union of a box with one of these is above a limit.
    bool anyAbove(Box const& box, float limit) const noexcept {
        constexpr int64_t kBlock = 32;
        for (int64_t first = 0; first < count_; first += kBlock) {
            int64_t const end = std::min(first + kBlock, count_);
            int32_t above = 0;
            for (int64_t i = first; i < end; ++i) {
                above |= overlap(box, i) > limit ? 1 : 0;
            }
            if (above != 0) {
                return true;
            }
        }
        return false;
    }

private:
    /// NaN for two boxes without area.
    float overlap(Box const& box, int64_t i) const noexcept {
        float const left = std::max(box.left, memory_[i]);
        float const top = std::max(box.top, memory_[room_ + i]);
        float const right = std::min(box.right, memory_[2 * room_ + i]);
        float const bottom = std::min(box.bottom, memory_[3 * room_ + i]);
        float const width = std::max(right - left, 0.0F);
        float const height = std::max(bottom - top, 0.0F);
        float const both = width * height;
        return both / (box.area + memory_[4 * room_ + i] - both);
    }

    float* memory_;
    int64_t room_;
    int64_t count_ = 0;
};

} // namespace kiln::targets::cpu
