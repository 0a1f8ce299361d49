// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// <target> [runs [first]]: mutates the seeds and calls the target. Run n is the same on every
// machine, so "<target> 1 n" repeats a crash of run n. Fails if the target allocates more than
// fuzzAllocationLimit() allows for its input.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "fuzz/fuzz_target.h"

namespace {

using Input = std::vector<std::byte>;

void mutate(Input& input, std::mt19937_64& random) {
    auto const below = [&](std::size_t limit) {
        return random() % std::max<std::size_t>(limit, 1);
    };
    constexpr uint64_t kNumbers[] = {
        0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, uint64_t{1} << 63, ~uint64_t{0}};
    std::size_t const at = below(input.size());
    if (input.empty()) {
        return;
    }
    switch (below(5)) {
    case 0: input[at] ^= std::byte{1} << below(8); break;
    case 1: input[at] = static_cast<std::byte>(random()); break;
    case 2: { // an edge case at an aligned offset
        uint64_t const number = kNumbers[below(std::size(kNumbers))];
        std::size_t const width = std::size_t{1} << below(4);
        std::size_t const start = at / width * width;
        for (std::size_t i = 0; i < width && start + i < input.size(); ++i) {
            input[start + i] = static_cast<std::byte>(number >> (8 * i));
        }
        break;
    }
    case 3: { // copies a piece of the input elsewhere
        std::size_t const length = std::min(below(32), input.size() - at);
        std::size_t const from = below(input.size() - length);
        std::copy_n(Input(input.begin() + static_cast<std::ptrdiff_t>(from),
                          input.begin() + static_cast<std::ptrdiff_t>(from + length))
                        .begin(),
                    length, input.begin() + static_cast<std::ptrdiff_t>(at));
        break;
    }
    default:
        if (below(8) == 0) { // rarely: readers refuse most truncated inputs at once
            input.resize(at);
        }
        break;
    }
}

bool runOnce(Input const& seed, uint64_t number) {
    std::mt19937_64 random(number);
    Input input = seed;
    bool const knowsFormat = fuzzMutate != nullptr && random() % 8 != 0;
    for (std::size_t left = 1 + random() % 4; left > 0; --left) {
        if (knowsFormat) {
            fuzzMutate(input, random);
        } else {
            mutate(input, random);
        }
    }
    std::size_t const before = allocatedBytes();
    LLVMFuzzerTestOneInput(reinterpret_cast<uint8_t const*>(input.data()), input.size());
    std::size_t const used = allocatedBytes() - before;
    std::size_t const limit = fuzzAllocationLimit(input.size());
    if (used > limit) {
        std::fprintf(stderr, "run %llu: expected at most %zu bytes for %zu, got %zu\n",
                     static_cast<unsigned long long>(number), limit, input.size(), used);
    }
    return used <= limit;
}

} // namespace

int main(int count, char** arguments) {
    uint64_t const runs = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1000;
    uint64_t const first = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 0;
    std::vector<Input> const seeds = fuzzSeeds();
    for (Input const& seed : seeds) {
        LLVMFuzzerTestOneInput(reinterpret_cast<uint8_t const*>(seed.data()), seed.size());
    }
    bool sound = true;
    for (uint64_t number = first; number < first + runs && sound; ++number) {
        sound = runOnce(seeds[number % seeds.size()], number);
    }
    std::printf("%llu runs over %zu seeds\n", static_cast<unsigned long long>(runs), seeds.size());
    return sound ? 0 : 1;
}
