// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

/// The inputs that mutations start from.
std::vector<std::vector<std::byte>> fuzzSeeds();

/// Optional: a mutation that knows the target's format. The driver then uses it in most runs.
__attribute__((weak)) void fuzzMutate(std::vector<std::byte>& input, std::mt19937_64& random);

/// Limit for all allocations of the target together for one input, in bytes.
std::size_t fuzzAllocationLimit(std::size_t inputBytes);

/// The target itself, under the name that libFuzzer calls. Returns 0; a defect ends the process.
extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, std::size_t size);

/// Bytes that operator new has allocated since the start, freed ones included.
std::size_t allocatedBytes() noexcept;
