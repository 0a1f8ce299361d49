// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/encode_values.h"

namespace kiln::plan {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<fb::AotKernel> encodeKernel(FlatBufferBuilder& builder, plugin::AotKernel const& kernel) {
    auto const scalars = encodeAll(builder, kernel.scalars, [&](plugin::CodeScalar const& scalar) {
        return fb::CreateScalar(builder, static_cast<uint8_t>(scalar.type), scalar.value,
                                scalar.real);
    });
    auto const images = encodeAll(builder, kernel.images, [&](plugin::CodeImage const& image) {
        auto const architecture = builder.CreateString(image.architecture);
        return fb::CreateImage(builder, static_cast<uint8_t>(image.kind), architecture,
                               image.ptxVersion, image.bytes.size());
    });
    std::vector<int32_t> launch(kernel.grid.begin(), kernel.grid.end());
    launch.insert(launch.end(), kernel.block.begin(), kernel.block.end());
    launch.push_back(kernel.sharedBytes);
    auto const numbers = builder.CreateVector(launch);
    auto const entry = builder.CreateString(kernel.entry);
    return fb::CreateAotKernel(builder, entry, numbers, scalars, kernel.nullPointers, images);
}

} // namespace

Offset<flatbuffers::Vector<Offset<fb::Variant>>> encodeCode(
    FlatBufferBuilder& builder, std::vector<plugin::AotVariant> const& code) {
    return encodeAll(builder, code, [&](plugin::AotVariant const& variant) {
        auto const kernels =
            encodeAll(builder, variant.kernels, [&](plugin::AotKernel const& kernel) {
                return encodeKernel(builder, kernel);
            });
        auto const target = builder.CreateString(variant.target);
        auto const architecture = builder.CreateString(variant.architecture);
        return fb::CreateVariant(builder, target, architecture, kernels);
    });
}

} // namespace kiln::plan
