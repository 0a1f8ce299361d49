// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_folder.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace {

void writeFile(std::filesystem::path const& path, std::span<std::byte const> bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<char const*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) {
        std::fprintf(stderr, "cannot write '%s'\n", path.c_str());
        std::abort();
    }
}

/// In memory, where there is such a folder: on a disk that others write to, each new file waits.
std::filesystem::path parentFolder() {
    std::filesystem::path const inMemory = "/dev/shm";
    return ::access(inMemory.c_str(), W_OK) == 0 ? inMemory
                                                 : std::filesystem::temp_directory_path();
}

} // namespace

FuzzFolder::FuzzFolder() {
    std::string name = parentFolder() / "onnx_fuzz.XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
        std::fprintf(stderr, "cannot make the folder '%s'\n", name.c_str());
        std::abort();
    }
    folder_ = name;
    std::vector<float> weights(1024);
    std::iota(weights.begin(), weights.end(), 0.0F);
    writeFile(folder_ / "weights.bin", std::as_bytes(std::span(weights)));
}

FuzzFolder::~FuzzFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void FuzzFolder::write(std::span<std::byte const> bytes) const {
    std::filesystem::remove(model());
    writeFile(model(), bytes);
}
