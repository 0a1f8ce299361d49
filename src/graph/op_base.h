// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "graph/op.h"

namespace kiln::graph {

/// Writes one field of an op's parameters. Dims are written extent by extent, because padding and
/// unused array elements would make equal ops differ.
template <typename T>
void writeField(ByteWriter& writer, T const& field) {
    if constexpr (std::is_same_v<T, Dims>) {
        writer.put(field.nbDims);
        for (int32_t i = 0; i < field.nbDims; ++i) {
            writer.put(field.d[i]);
        }
    } else {
        static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
        writer.put(field);
    }
}

template <typename T>
void readField(ByteReader& reader, T& field) {
    if constexpr (std::is_same_v<T, Dims>) {
        field.nbDims = reader.get<int32_t>();
        if (field.nbDims > Dims::MAX_DIMS) {
            fail(ErrorKind::kCorruptData,
                 "[plan] dimensions of an operation: expected at most {} extents, got {}. Build "
                 "the plan again.",
                 static_cast<int32_t>(Dims::MAX_DIMS), field.nbDims);
        }
        for (int32_t i = 0; i < field.nbDims; ++i) {
            field.d[i] = reader.get<int64_t>();
        }
    } else if constexpr (std::is_same_v<T, bool>) {
        field = reader.get<uint8_t>() != 0;
    } else {
        field = reader.get<T>();
    }
}

/// CRTP base of all ops: implements Op from the members of `Self`, which provides
///
///   static constexpr std::string_view kKind;
///   static constexpr nvinfer1::LayerType kLayerType;
///   static constexpr OpClass kClass = OpClass::kPointwise; // optional; default: kOther
///   // Calls visit() with every field that save() writes.
///   template <typename S, typename V> static void fields(S& self, V&& visit);
///   std::string problem() const;             // describes invalid parameters; empty if valid
///   void inferChecked(InferContext&) const;  // infer() with valid parameters
template <typename Self>
class OpBase : public Op {
public:
    std::string_view kind() const final { return Self::kKind; }
    nvinfer1::LayerType layerType() const final { return Self::kLayerType; }
    OpClass opClass() const final {
        if constexpr (requires { Self::kClass; }) {
            return Self::kClass;
        } else {
            return OpClass::kOther;
        }
    }
    std::unique_ptr<Op> clone() const final { return std::make_unique<Self>(self()); }

    void infer(InferContext& context) const final {
        if (std::string const text = self().problem(); !text.empty()) {
            fail(ErrorKind::kInvalidArgument, "{}: {}", where(context, Self::kKind), text);
        }
        self().inferChecked(context);
    }

    void save(ByteWriter& writer) const final {
        Self::fields(self(), [&](auto const&... field) { (writeField(writer, field), ...); });
    }

    static std::unique_ptr<Op> load(ByteReader& reader) {
        auto op = std::make_unique<Self>();
        Self::fields(*op, [&](auto&... field) { (readField(reader, field), ...); });
        if (std::string const text = op->problem(); !text.empty()) {
            fail(ErrorKind::kCorruptData, "[plan] parameters of {}: {} Build the plan again.",
                 Self::kKind, text);
        }
        return op;
    }

private:
    Self const& self() const { return static_cast<Self const&>(*this); }
};

/// Whether an enum value from a user or a file is a member of the enum.
template <typename Enum>
bool isMember(Enum value) noexcept {
    auto const number = static_cast<int32_t>(value);
    return number >= 0 && number < nvinfer1::EnumMax<Enum>();
}

/// "expected a member of ActivationType, got 99."
template <typename Enum>
std::string enumProblem(Enum value, std::string_view name) {
    if (isMember(value)) {
        return {};
    }
    return fmt::format("expected a member of {}, got {}.", name, static_cast<int32_t>(value));
}

} // namespace kiln::graph
