// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/onednn/own_weights.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "target/constant_copies.h"
#include "targets/cpu/numeric.h"

namespace kiln::targets::cpu::onednn {

OwnWeights::OwnWeights() {
    if (target::ConstantCopies const* const copies = target::ConstantCopies::current()) {
        budget_ = copies->budget();
    }
}

std::shared_ptr<Bytes const> OwnWeights::in(const_dnnl_memory_desc_t order,
                                            std::function<Bytes()> const& make) {
    Library const& library = Library::instance();
    std::lock_guard const lock(mutex_);
    auto const found = std::find_if(copies_.begin(), copies_.end(), [&](Copy const& copy) {
        return library.memory_desc_equal(copy.order.get(), order) != 0;
    });
    if (found != copies_.end()) {
        return found->bytes;
    }
    if (budget_ != nullptr && !budget_->take(library.memory_desc_get_size(order))) {
        return nullptr;
    }
    auto own = made<MemoryDesc>("describe weights", [&](dnnl_memory_desc_t* desc) {
        return library.memory_desc_clone(desc, order);
    });
    copies_.push_back({std::move(own), std::make_shared<Bytes const>(make())});
    return copies_.back().bytes;
}

std::vector<float> widened(ByteView weights, ByteView scale, int64_t channels) {
    std::vector<float> wide(weights.size());
    std::vector<float> scales(scale.size() / sizeof(float));
    std::memcpy(scales.data(), scale.data(), scales.size() * sizeof(float));
    auto const* const from = reinterpret_cast<int8_t const*>(weights.data());
    int64_t const each = std::ssize(wide) / channels;
    parallelFor(channels, grainFor(each), [&](int64_t begin, int64_t end) {
        for (int64_t channel = begin; channel < end; ++channel) {
            float const factor = scales[scales.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
            std::transform(from + channel * each, from + (channel + 1) * each,
                           wide.begin() + channel * each,
                           [&](int8_t code) { return static_cast<float>(code) * factor; });
        }
    });
    return wide;
}

} // namespace kiln::targets::cpu::onednn
