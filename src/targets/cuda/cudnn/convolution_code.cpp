// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_code.h"

#include <functional>

#include "base/error.h"

namespace kiln::targets::cuda {
namespace {

constexpr unsigned kPacked = 1;
constexpr unsigned kTf32 = 2;

} // namespace

Bytes ConvolutionCode::save() const {
    ByteWriter writer;
    writer.put(workspace);
    writer.put<uint8_t>(static_cast<uint8_t>((packs ? kPacked : 0) | (tf32 ? kTf32 : 0)));
    writer.put(version);
    writer.put<uint8_t>(engine.has_value() ? 1 : 0);
    if (engine.has_value()) {
        writer.put<int64_t>(engine->engine);
        writer.put<int32_t>(engine->position);
        writer.put(static_cast<uint32_t>(engine->knobs.size()));
        for (EngineChoice::Knob const& knob : engine->knobs) {
            writer.put<int32_t>(knob.type);
            writer.put<int64_t>(knob.value);
        }
    }
    writer.put(preparedFor);
    for (Bytes const& part : {std::cref(prepared), std::cref(helper)}) {
        writer.putText({reinterpret_cast<char const*>(part.data()), part.size()});
    }
    return writer.take();
}

ConvolutionCode ConvolutionCode::load(ByteView bytes) {
    ByteReader reader(bytes, "code of a convolution");
    ConvolutionCode code;
    code.workspace = reader.get<uint64_t>();
    auto const flags = reader.get<uint8_t>();
    code.packs = (flags & kPacked) != 0;
    code.tf32 = (flags & kTf32) != 0;
    code.version = reader.get<uint64_t>();
    if (reader.get<uint8_t>() != 0) {
        constexpr uint32_t kMostKnobs = 256;
        EngineChoice& engine = code.engine.emplace();
        engine.engine = reader.get<int64_t>();
        engine.position = reader.get<int32_t>();
        auto const count = reader.get<uint32_t>();
        if (count > kMostKnobs) {
            fail(ErrorKind::kCorruptData,
                 "[plan] engine of a convolution: expected at most {} settings, got {}. Build the "
                 "plan again.",
                 kMostKnobs, count);
        }
        for (uint32_t i = 0; i < count; ++i) {
            auto const type = reader.get<int32_t>();
            engine.knobs.push_back({type, reader.get<int64_t>()});
        }
    }
    code.preparedFor = reader.get<uint64_t>();
    for (Bytes* const part : {&code.prepared, &code.helper}) {
        ByteView const read = reader.take(reader.get<uint32_t>());
        part->assign(read.begin(), read.end());
    }
    reader.finish();
    return code;
}

} // namespace kiln::targets::cuda
