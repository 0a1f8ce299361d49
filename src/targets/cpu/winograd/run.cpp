// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A task copies the pixels of its block into patches of 16 channels with their padding, transforms
// these, multiplies the points by the weights of 32 maps at a time, transforms the sums into
// patches of 16 maps, and copies what is inside of the image. Slots take tasks one by one.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "targets/cpu/isa.h"
#include "targets/cpu/winograd/block_memory.h"

namespace kiln::targets::cpu {
namespace {

using Layout = WinogradConvolution::Layout;

constexpr int64_t kBlock = 8; ///< pixels that transpose32() takes in registers

/// Copies pixels of up to kWinogradChannels channels of a row into a patch.
void readRow(Layout const& layout, float const* from, int64_t pixels, int64_t channels, float* to) {
    if (layout.channel != 1) {
        auto const* words = reinterpret_cast<uint32_t const*>(from);
        auto* target = reinterpret_cast<uint32_t*>(to);
        int64_t const whole = pixels < kBlock ? pixels : pixels / kBlock * kBlock;
        isa().transpose32(words, layout.channel, target, kWinogradChannels, channels, whole);
        if (whole < pixels) { // the last block again, from its end
            int64_t const last = pixels - kBlock;
            isa().transpose32(words + last, layout.channel, target + last * kWinogradChannels,
                              kWinogradChannels, channels, kBlock);
        }
        return;
    }
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        float const* const source = from + pixel * layout.pixel;
        if (channels == kWinogradChannels) {
            std::memcpy(to + pixel * kWinogradChannels, source, kWinogradChannels * sizeof(float));
        } else {
            std::copy_n(source, channels, to + pixel * kWinogradChannels);
        }
    }
}

void writeRow(Layout const& layout, float const* from, int64_t pixels, int64_t channels,
              float* to) {
    if (layout.channel != 1) {
        auto const* words = reinterpret_cast<uint32_t const*>(from);
        auto* target = reinterpret_cast<uint32_t*>(to);
        int64_t const whole = pixels < kBlock ? pixels : pixels / kBlock * kBlock;
        isa().transpose32(words, kWinogradChannels, target, layout.channel, whole, channels);
        if (whole < pixels) {
            int64_t const last = pixels - kBlock;
            isa().transpose32(words + last * kWinogradChannels, kWinogradChannels, target + last,
                              layout.channel, kBlock, channels);
        }
        return;
    }
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        float* const target = to + pixel * layout.pixel;
        if (channels == kWinogradChannels) {
            std::memcpy(target, from + pixel * kWinogradChannels,
                        kWinogradChannels * sizeof(float));
        } else {
            std::copy_n(from + pixel * kWinogradChannels, channels, target);
        }
    }
}

class Task {
public:
    Task(WinogradConvolution const& plan, WinogradCall const& call, int64_t number, float* memory)
        : plan_(plan), call_(call), memory_(memory), places_(plan.side, plan.p.channels),
          share_(number % plan.mapTasks) {
        number /= plan.mapTasks;
        int64_t const column = number % plan.blocksAcross * plan.blockColumns;
        number /= plan.blocksAcross;
        int64_t const row = number % plan.blocksDown * plan.blockRows;
        image_ = number / plan.blocksDown;
        y_ = row * plan.side;
        x_ = column * plan.side;
        height_ = std::min(plan.blockRows * plan.side, plan.p.height.output - y_);
        width_ = std::min(plan.blockColumns * plan.side, plan.p.width.output - x_);
        tiles_.rows = (height_ + plan.side - 1) / plan.side;
        tiles_.columns = (width_ + plan.side - 1) / plan.side;
    }

    void run() {
        int const kind = plan_.side == 2 ? 0 : 1;
        int64_t const stride = plan_.paddedChannels();
        tiles_.patchRow = tiles_.columns * plan_.side + 2;
        tiles_.tileStep = stride;
        tiles_.pointStep = places_.pointStep;
        for (int64_t c = 0; c < plan_.p.channels; c += kWinogradChannels) {
            readPatch(c);
            isa().winogradInput[kind](tiles_, memory_ + places_.patch,
                                      memory_ + places_.inputs + c);
        }
        tiles_.patchRow = tiles_.columns * plan_.side;
        tiles_.tileStep = kWinogradMaps;
        tiles_.pointStep = places_.sumStep;
        int64_t const last = std::min((share_ + 1) * plan_.mapGroups * kWinogradMaps, plan_.p.maps);
        for (int64_t map = share_ * plan_.mapGroups * kWinogradMaps; map < last;
             map += kWinogradMaps) {
            multiply(map, stride);
            for (int64_t i = map; i < std::min(map + kWinogradMaps, last); i += kWinogradChannels) {
                write(kind, i, std::min(kWinogradChannels, last - i), i - map);
            }
        }
    }

private:
    void readPatch(int64_t channel) {
        auto const& p = plan_.p;
        int64_t const channels = std::min(kWinogradChannels, p.channels - channel);
        int64_t const row = tiles_.patchRow * kWinogradChannels;
        float* to = memory_ + places_.patch;
        int64_t const rows = tiles_.rows * plan_.side + 2;
        if (channels < kWinogradChannels) {
            std::fill_n(to, rows * row, 0.0F);
        }
        int64_t const left = x_ - p.width.before; // may be outside
        int64_t const first = std::clamp<int64_t>(left, 0, p.width.input);
        int64_t const end = std::clamp<int64_t>(left + tiles_.patchRow, first, p.width.input);
        float const* const from =
            call_.from + image_ * plan_.from.image + channel * plan_.from.channel;
        for (int64_t i = 0; i < rows; ++i, to += row) {
            int64_t const y = y_ - p.height.before + i;
            if (y < 0 || y >= p.height.input || first == end) {
                std::fill_n(to, row, 0.0F);
                continue;
            }
            float* const inside = to + (first - left) * kWinogradChannels;
            std::fill(to, inside, 0.0F);
            readRow(plan_.from, from + y * plan_.from.row + first * plan_.from.pixel, end - first,
                    channels, inside);
            std::fill(inside + (end - first) * kWinogradChannels, to + row, 0.0F);
        }
    }

    void multiply(int64_t map, int64_t stride) {
        int64_t const tiles = tiles_.rows * tiles_.columns;
        int64_t const floats = plan_.p.channels * kWinogradMaps; // of the weights of a point
        float const* weights = call_.weights + map / kWinogradMaps * plan_.points() * floats;
        for (int64_t point = 0; point < plan_.points(); ++point, weights += floats) {
            isa().winogradProduct(tiles, plan_.p.channels,
                                  memory_ + places_.inputs + point * places_.pointStep, stride,
                                  weights, memory_ + places_.sums + point * places_.sumStep,
                                  weights + floats);
        }
    }

    void write(int kind, int64_t map, int64_t maps, int64_t place) {
        alignas(64) float bias[kWinogradChannels] = {};
        if (call_.bias != nullptr) {
            std::copy_n(call_.bias + map, maps, bias);
        }
        float* patch = memory_ + places_.patch;
        isa().winogradOutput[kind](tiles_, memory_ + places_.sums + place,
                                   {bias, call_.least, call_.most}, patch);
        float* to = call_.to + image_ * plan_.to.image + y_ * plan_.to.row + x_ * plan_.to.pixel +
                    map * plan_.to.channel;
        for (int64_t i = 0; i < height_; ++i) {
            writeRow(plan_.to, patch, width_, maps, to);
            patch += tiles_.patchRow * kWinogradChannels;
            to += plan_.to.row;
        }
    }

    WinogradConvolution const& plan_;
    WinogradCall const& call_;
    float* memory_;
    BlockMemory places_;
    WinogradTiles tiles_;
    int64_t share_ = 0; ///< of the maps
    int64_t image_ = 0;
    int64_t y_ = 0; ///< of the first result
    int64_t x_ = 0;
    int64_t height_ = 0; ///< results that are inside of the image
    int64_t width_ = 0;
};

} // namespace

void runWinograd(WinogradConvolution const& plan, WinogradCall const& call) noexcept {
    std::atomic<int64_t> next{0};
    int64_t const tasks = plan.tasks();
    int64_t const floats = winogradSlotFloats(plan.side, plan.p.channels);
    parallelFor(std::min(plan.slots, tasks), 1, [&](int64_t begin, int64_t end) {
        for (int64_t slot = begin; slot < end; ++slot) {
            for (int64_t task = next++; task < tasks; task = next++) {
                Task(plan, call, task, call.slots + slot * floats).run();
            }
        }
    });
}

} // namespace kiln::targets::cpu
