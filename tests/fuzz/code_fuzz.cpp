// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reads damaged code of plugins: PTX, a cubin, a shared object.
#include <cstdlib>

#include "fuzz/fuzz_target.h"
#include "plugin/code/code_info.h"
#include "plugin/code/code_samples.h"

std::vector<std::vector<std::byte>> fuzzSeeds() {
    return {kiln::test::sampleCubin(), kiln::test::bytesOf(kiln::test::kSamplePtx),
            kiln::test::sampleSharedObject({"first", "second"})};
}

// The factor covers symbols and entries that are larger in memory than in the file, and growing
// vectors; the constant covers error messages.
std::size_t fuzzAllocationLimit(std::size_t inputBytes) {
    return (std::size_t{1} << 16) + 32 * inputBytes;
}

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, std::size_t size) {
    try {
        kiln::plugin::CodeInfo const info =
            kiln::plugin::inspectCode(std::as_bytes(std::span(data, size)));
        for (kiln::plugin::CodeEntry const& entry : info.entries) {
            if (entry.name.size() > size) {
                std::abort();
            }
        }
    } catch (kiln::Error const& error) {
        if (error.kind() != kiln::ErrorKind::kCorruptData &&
            error.kind() != kiln::ErrorKind::kInvalidArgument) {
            std::abort();
        }
    }
    return 0;
}
