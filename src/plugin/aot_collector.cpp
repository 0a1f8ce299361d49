// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/aot_collector.h"

#include <array>
#include <new>

#include <fmt/format.h>

#include "base/text.h"

namespace kiln::plugin {

// The public type and the type in plans have the same values.
static_assert(static_cast<int32_t>(ArgumentType::kINT8) == static_cast<int32_t>(ScalarType::kInt8));
static_assert(static_cast<int32_t>(ArgumentType::kINT16) ==
              static_cast<int32_t>(ScalarType::kInt16));
static_assert(static_cast<int32_t>(ArgumentType::kINT32) ==
              static_cast<int32_t>(ScalarType::kInt32));
static_assert(static_cast<int32_t>(ArgumentType::kINT64) ==
              static_cast<int32_t>(ScalarType::kInt64));
static_assert(static_cast<int32_t>(ArgumentType::kFLOAT32) ==
              static_cast<int32_t>(ScalarType::kFloat32));
static_assert(static_cast<int32_t>(ArgumentType::kFLOAT64) ==
              static_cast<int32_t>(ScalarType::kFloat64));

namespace {

std::string_view nameOf(ArgumentType type) {
    constexpr std::array<std::string_view, 6> kNames{"INT8",  "INT16",   "INT32",
                                                     "INT64", "FLOAT32", "FLOAT64"};
    auto const number = static_cast<std::size_t>(type);
    return number < kNames.size() ? kNames[number] : "an unknown one";
}

} // namespace

AotKernel AotCollector::plainKernel(graph::ExprPool& pool, std::string_view entry) {
    AotKernel kernel;
    kernel.entry = entry;
    kernel.grid.fill(pool.constant(1));
    kernel.block.fill(pool.constant(1));
    kernel.sharedBytes = pool.constant(0);
    return kernel;
}

template <typename Add>
bool AotCollector::guarded(Add&& add) noexcept {
    try {
        return add();
    } catch (...) {
        exhausted_ = true;
        return false;
    }
}

std::string const& AotCollector::problem() const {
    if (exhausted_) {
        throw std::bad_alloc();
    }
    return problem_;
}

bool AotCollector::refuse(std::string_view call, std::string_view problem) {
    if (problem_.empty()) {
        problem_ = fmt::format("{}: {}", call, problem);
    }
    return false;
}

bool AotCollector::began(std::string_view call) {
    return !kernels_.empty() ||
           refuse(call, "expected a kernel that beginKernel() began, got none. Call it first");
}

bool AotCollector::beginKernel(char const* entry) noexcept {
    return guarded([&] {
        kernels_.push_back(plainKernel(pool_, orEmpty(entry)));
        return true;
    });
}

bool AotCollector::addImage(void const* bytes, size_t size) noexcept {
    return guarded([&] {
        if (!began("addImage")) {
            return false;
        }
        if (bytes == nullptr && size > 0) {
            return refuse("addImage", fmt::format("expected {} bytes, got a null address", size));
        }
        auto const* const first = static_cast<std::byte const*>(bytes);
        CodeImage image;
        image.bytes.assign(first, first + size);
        kernels_.back().images.push_back(std::move(image));
        return true;
    });
}

bool AotCollector::setLaunch(nvinfer1::IDimensionExpr const* const grid[3],
                             nvinfer1::IDimensionExpr const* const block[3],
                             nvinfer1::IDimensionExpr const& sharedBytes) noexcept {
    return guarded([&] {
        if (!began("setLaunch")) {
            return false;
        }
        AotKernel& kernel = kernels_.back();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            auto const x = builder_.refOf(grid[axis]);
            auto const y = builder_.refOf(block[axis]);
            if (!x.has_value() || !y.has_value()) {
                return refuse("setLaunch",
                              "expected expressions of this call, got null or a foreign "
                              "one");
            }
            kernel.grid[axis] = *x;
            kernel.block[axis] = *y;
        }
        auto const shared = builder_.refOf(&sharedBytes);
        if (!shared.has_value()) {
            return refuse("setLaunch",
                          "expected an expression of this call for the shared memory, got "
                          "a foreign one");
        }
        kernel.sharedBytes = *shared;
        return true;
    });
}

bool AotCollector::addInteger(ArgumentType type, nvinfer1::IDimensionExpr const& value) noexcept {
    return guarded([&] {
        if (!began("addInteger")) {
            return false;
        }
        auto const ref = builder_.refOf(&value);
        if (type < ArgumentType::kINT8 || type > ArgumentType::kINT64 || !ref.has_value()) {
            return refuse(
                "addInteger",
                fmt::format("expected an integer type and an expression of this call, got "
                            "type {}{}",
                            nameOf(type), ref.has_value() ? "" : " and a foreign expression"));
        }
        kernels_.back().scalars.push_back({static_cast<ScalarType>(type), *ref, 0.0});
        return true;
    });
}

bool AotCollector::addReal(ArgumentType type, double value) noexcept {
    return guarded([&] {
        if (!began("addReal")) {
            return false;
        }
        if (type != ArgumentType::kFLOAT32 && type != ArgumentType::kFLOAT64) {
            return refuse("addReal", fmt::format("expected the type FLOAT32 or FLOAT64, got {}",
                                                 nameOf(type)));
        }
        kernels_.back().scalars.push_back({static_cast<ScalarType>(type), -1, value});
        return true;
    });
}

} // namespace kiln::plugin
