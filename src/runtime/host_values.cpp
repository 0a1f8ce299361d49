// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_values.h"

#include <algorithm>
#include <cstring>

#include "graph/real_values.h"

namespace kiln::runtime {
namespace {

template <typename T>
void put(std::byte* memory, std::size_t at, int64_t value) {
    auto const element = static_cast<T>(value);
    std::memcpy(memory + at * sizeof(T), &element, sizeof(T));
}

void putAs(DataType type, std::byte* memory, std::size_t at, int64_t value) {
    switch (type) {
    case DataType::kINT32: put<int32_t>(memory, at, value); break;
    case DataType::kBOOL: put<uint8_t>(memory, at, value != 0 ? 1 : 0); break;
    default: put<int64_t>(memory, at, value); break;
    }
}

template <typename T>
int64_t get(std::byte const* memory, std::size_t at) {
    T element{};
    std::memcpy(&element, memory + at * sizeof(T), sizeof(T));
    return static_cast<int64_t>(element);
}

} // namespace

HostValues::HostValues(plan::Document const& document) : document_(document) {
    std::size_t end = 0;
    for (plan::TensorRecord const& tensor : document.tensors) {
        offset_.add(end);
        if (tensor.role == plan::TensorRole::kValues) {
            end +=
                std::max<std::size_t>(1, tensor.values.size()); // an empty one has an address too
        }
    }
    memory_.resize(end);
}

void* HostValues::of(plan::TensorId tensor) noexcept {
    return memory_.data() + offset_[tensor];
}

void HostValues::write(std::span<int64_t const> values) {
    for (plan::TensorId const i : document_.tensors.ids()) {
        write(values, i);
    }
}

void HostValues::write(std::span<int64_t const> values, plan::TensorId tensor) {
    plan::TensorRecord const& record = document_.tensors[tensor];
    auto* const memory = static_cast<std::byte*>(of(tensor));
    for (std::size_t at = 0; at < record.values.size(); ++at) {
        putAs(record.type.type, memory, at, values[static_cast<std::size_t>(record.values[at])]);
    }
}

void writeValues(DataType type, std::span<int64_t const> values, void* data) {
    for (std::size_t at = 0; at < values.size(); ++at) {
        putAs(type, static_cast<std::byte*>(data), at, values[at]);
    }
}

void readValues(DataType type, void const* data, std::span<int64_t> values) {
    auto const* const memory = static_cast<std::byte const*>(data);
    for (std::size_t at = 0; at < values.size(); ++at) {
        switch (type) {
        case DataType::kINT32: values[at] = get<int32_t>(memory, at); break;
        case DataType::kBOOL: values[at] = get<uint8_t>(memory, at); break;
        case DataType::kFLOAT: {
            float element = 0.0F;
            std::memcpy(&element, memory + at * sizeof(element), sizeof(element));
            values[at] = graph::fixedFromReal(static_cast<double>(element));
            break;
        }
        default: values[at] = get<int64_t>(memory, at);
        }
    }
}

} // namespace kiln::runtime
