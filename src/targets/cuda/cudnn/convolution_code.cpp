// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_code.h"

#include "base/error.h"

namespace kiln::targets::cuda {

Bytes ConvolutionCode::save() const {
    ByteWriter writer;
    writer.put<uint8_t>(hasWorkspace ? 1 : 0);
    writer.put<uint64_t>(version);
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
    Bytes code = writer.take();
    code.insert(code.end(), helper.begin(), helper.end());
    return code;
}

ConvolutionCode ConvolutionCode::load(ByteView bytes) {
    ByteReader reader(bytes, "code of a convolution");
    std::size_t size = 2 * sizeof(uint8_t) + sizeof(uint64_t);
    ConvolutionCode code;
    code.hasWorkspace = reader.get<uint8_t>() != 0;
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
        size += sizeof(int64_t) + sizeof(int32_t) + sizeof(uint32_t) +
                count * (sizeof(int32_t) + sizeof(int64_t));
    }
    ByteView const rest = bytes.subspan(size);
    code.helper.assign(rest.begin(), rest.end());
    return code;
}

} // namespace kiln::targets::cuda
