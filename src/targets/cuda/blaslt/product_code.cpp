// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/product_code.h"

#include <algorithm>

#include "base/dtype.h"

namespace kiln::targets::cuda {
namespace {

constexpr unsigned kTimed = 1;
constexpr unsigned kTf32 = 2;

} // namespace

Bytes ProductCode::save() const {
    ByteWriter writer;
    writer.put(mostWorkspace);
    writer.put(version);
    writer.put<uint8_t>(static_cast<uint8_t>((isTimed ? kTimed : 0) | (tf32 ? kTf32 : 0)));
    if (isTimed) {
        writer.put(timed.product);
        for (uint64_t const word : timed.algorithm.data) {
            writer.put(word);
        }
    }
    return writer.take();
}

ProductCode ProductCode::load(ByteView bytes) {
    ByteReader reader(bytes, "code of a matrix product");
    ProductCode code;
    code.mostWorkspace = reader.get<uint64_t>();
    code.version = reader.get<uint64_t>();
    auto const flags = reader.get<uint8_t>();
    code.isTimed = (flags & kTimed) != 0;
    code.tf32 = (flags & kTf32) != 0;
    if (code.isTimed) {
        code.timed.product = reader.get<uint64_t>();
        for (uint64_t& word : code.timed.algorithm.data) {
            word = reader.get<uint64_t>();
        }
    }
    reader.finish();
    return code;
}

std::size_t productWorkspace(Dims const& result, std::size_t most) {
    constexpr std::size_t kLeast = std::size_t{256} << 10;
    constexpr int64_t kPartials = 64;
    auto const elements = std::min<int64_t>(volume(result, "matrix product"), INT32_MAX);
    std::size_t const wanted = kLeast + bytesFor(DataType::kFLOAT, kPartials * elements);
    return std::min(most, wanted);
}

} // namespace kiln::targets::cuda
