// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/tensor_data.h"

#include "onnx/checked_numbers.h"
#include "onnx/element_type.h"
#include "onnx/half.h"
#include "onnx/import_error.h"
#include "onnx/narrow_float.h"
#include "onnx/text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

static_assert(std::endian::native == std::endian::little, "raw_data is copied as it is");

namespace {

[[noreturn]] void fail(ErrorCode code, TensorProto const& tensor, std::string const& what) {
    throw ImportError(code, text("initializer '", tensor.name, "': ", what));
}

Dims dimsOf(TensorProto const& tensor) {
    Dims const dims = toDims(tensor.dims, text("initializer '", tensor.name, "'"));
    if (std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent < 0; })) {
        fail(ErrorCode::kINVALID_VALUE, tensor,
             text("expected extents of 0 or more, got ", tensor.dims, "."));
    }
    return dims;
}

// Elements of a shape. The limit leaves room to multiply it by the size of an element in bits.
int64_t countOf(TensorProto const& tensor, Dims const& dims) {
    constexpr int64_t kLimit = std::numeric_limits<int64_t>::max() / 64;
    int64_t count = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        if (dims.d[i] != 0 && count > kLimit / dims.d[i]) {
            fail(ErrorCode::kINVALID_VALUE, tensor,
                 text("expected fewer than 2^57 elements, got the shape ", tensor.dims));
        }
        count *= dims.d[i];
    }
    return count;
}

void expectCount(TensorProto const& tensor, char const* field, size_t got, int64_t expected) {
    if (got != static_cast<size_t>(expected)) {
        fail(ErrorCode::kINVALID_VALUE, tensor,
             text("expected ", expected, " elements for the shape ", tensor.dims, ", got ", got,
                  " in ", field, "."));
    }
}

template <typename Target, typename Source>
void const* convert(std::vector<Source> const& values, WeightStore& store) {
    auto* target = reinterpret_cast<Target*>(store.allocate(values.size() * sizeof(Target)));
    for (size_t i = 0; i < values.size(); ++i) {
        target[i] = static_cast<Target>(values[i]);
    }
    return target;
}

// Conversions of elements in raw_data layout, in the parser's memory.

// Kernels require each bool to be 0 or 1.
void const* normalizeBools(std::byte* bytes, size_t size, WeightStore& /*store*/) {
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = bytes[i] != std::byte{0} ? std::byte{1} : std::byte{0};
    }
    return bytes;
}

// Into a type that holds the same numbers, or for double nearly the same. Numbers of UINT64 from
// 2^63 on keep their bits.
template <typename Source, typename Target>
void const* replace(std::byte* bytes, size_t size, WeightStore& store) {
    size_t const count = size / sizeof(Source);
    auto* target = reinterpret_cast<Target*>(store.allocate(count * sizeof(Target)));
    for (size_t i = 0; i < count; ++i) {
        Source value{};
        std::memcpy(&value, bytes + i * sizeof(Source), sizeof(Source));
        target[i] = static_cast<Target>(value); // of UINT64, the bits
    }
    return target;
}

// Two elements in a byte, the first one in its lower half.
void const* unpackHalves(std::byte* bytes, size_t size, WeightStore& store) {
    std::byte* const target = store.allocate(2 * size);
    for (size_t i = 0; i < size; ++i) {
        target[2 * i] = bytes[i] & std::byte{0xF};
        target[2 * i + 1] = bytes[i] >> 4;
    }
    return target;
}

// Four elements in a byte, the first one in its lowest bits.
template <bool kSigned>
void const* unpackQuarters(std::byte* bytes, size_t size, WeightStore& store) {
    std::byte* const target = store.allocate(4 * size);
    for (size_t i = 0; i < 4 * size; ++i) {
        int32_t const bits = static_cast<int32_t>(bytes[i / 4] >> (2 * (i % 4))) & 3;
        target[i] = static_cast<std::byte>(kSigned && bits > 1 ? bits - 4 : bits);
    }
    return target;
}

template <ElementType kType>
void const* widenFloats(std::byte* bytes, size_t size, WeightStore& store) {
    auto* target = reinterpret_cast<float*>(store.allocate(size * sizeof(float)));
    for (size_t i = 0; i < size; ++i) {
        target[i] = narrowToFloat(static_cast<uint8_t>(bytes[i]), kType);
    }
    return target;
}

ExternalData::Convert conversionOf(ElementType type) {
    switch (type) {
    case ElementType::kBool: return normalizeBools;
    case ElementType::kDouble: return replace<double, float>;
    case ElementType::kInt16: return replace<int16_t, int32_t>;
    case ElementType::kUint16: return replace<uint16_t, int32_t>;
    case ElementType::kUint32: return replace<uint32_t, int64_t>;
    case ElementType::kUint64: return replace<uint64_t, int64_t>;
    case ElementType::kUint4: return unpackHalves;
    case ElementType::kUint2: return unpackQuarters<false>;
    case ElementType::kInt2: return unpackQuarters<true>;
    case ElementType::kFloat8E4M3FNUZ: return widenFloats<ElementType::kFloat8E4M3FNUZ>;
    case ElementType::kFloat8E5M2: return widenFloats<ElementType::kFloat8E5M2>;
    case ElementType::kFloat8E5M2FNUZ: return widenFloats<ElementType::kFloat8E5M2FNUZ>;
    case ElementType::kFloat8E8M0: return widenFloats<ElementType::kFloat8E8M0>;
    default: return nullptr;
    }
}

// Elements in raw_data layout, in the parser's memory, as the network takes them.
void const* converted(ElementType type, std::byte* bytes, size_t size, WeightStore& store) {
    auto const convert = conversionOf(type);
    return convert != nullptr ? convert(bytes, size, store) : bytes;
}

// The elements of int32_data, which holds all types of 16 bits and fewer. Those of 2
// and 4 bits are packed in bytes, each of them an element there.
void const* readInt32Data(TensorProto const& tensor, int64_t count, WeightStore& store) {
    int32_t const bits = bitsOf(tensor.type);
    int64_t const perByte = bits < 8 ? 8 / bits : 1;
    int64_t const stored = (count + perByte - 1) / perByte;
    expectCount(tensor, "int32_data", tensor.int32Data.size(), stored);
    if (bits == 32) {
        return convert<int32_t>(tensor.int32Data, store);
    }
    void const* const narrow = bits == 16 ? convert<uint16_t>(tensor.int32Data, store)
                                          : convert<uint8_t>(tensor.int32Data, store);
    auto* const bytes = static_cast<std::byte*>(const_cast<void*>(narrow)); // of the store
    return converted(tensor.type, bytes, tensor.int32Data.size() * (bits == 16 ? 2 : 1), store);
}

// Reads elements from the field that ONNX names for each type.
void const* readTyped(TensorProto const& tensor, int64_t count, WeightStore& store) {
    switch (tensor.type) {
    case ElementType::kFloat:
        expectCount(tensor, "float_data", tensor.floatData.size(), count);
        return convert<float>(tensor.floatData, store);
    case ElementType::kDouble:
        expectCount(tensor, "double_data", tensor.doubleData.size(), count);
        return convert<float>(tensor.doubleData, store);
    case ElementType::kInt64:
        expectCount(tensor, "int64_data", tensor.int64Data.size(), count);
        return convert<int64_t>(tensor.int64Data, store);
    case ElementType::kUint32:
    case ElementType::kUint64: {
        expectCount(tensor, "uint64_data", tensor.uint64Data.size(), count);
        void const* const wide = convert<uint64_t>(tensor.uint64Data, store);
        auto* const bytes = static_cast<std::byte*>(const_cast<void*>(wide)); // of the store
        return converted(ElementType::kUint64, bytes, tensor.uint64Data.size() * 8, store);
    }
    default: return readInt32Data(tensor, count, store);
    }
}

DataType networkType(TensorProto const& tensor) {
    return requireDataType(tensor.type, text("initializer '", tensor.name, "'"));
}

size_t byteSize(TensorProto const& tensor, int64_t count) {
    return static_cast<size_t>((count * bitsOf(tensor.type) + 7) / 8);
}

void expectBytes(TensorProto const& tensor, size_t got, size_t expected) {
    if (got != expected) {
        fail(ErrorCode::kINVALID_VALUE, tensor,
             text("expected ", expected, " bytes for the shape ", tensor.dims, " of ",
                  nameOf(tensor.type), ", got ", got, "."));
    }
}

} // namespace

Constant readConstant(TensorProto const& tensor, TensorSource const& source) {
    Dims const dims = dimsOf(tensor);
    int64_t const count = countOf(tensor, dims);
    DataType const type = networkType(tensor);
    size_t const size = byteSize(tensor, count);
    if (tensor.isExternal) {
        size_t const alignment = std::max<size_t>(1, byteSize(tensor, 1));
        ExternalData::Request const request{size, alignment, conversionOf(tensor.type)};
        return {dims, {type, source.files.read(tensor, request, source.store), count}};
    }
    if (!tensor.rawData) {
        return {dims, {type, readTyped(tensor, count, source.store), count}};
    }
    expectBytes(tensor, tensor.rawData->size(), size);
    if (size == 0) {
        return {dims, {type, source.store.allocate(size), count}};
    }
    char const* const raw = tensor.rawData->data();
    if (conversionOf(tensor.type) == nullptr && source.store.holds(raw, size)) {
        return {dims, {type, raw, count}};
    }
    void const*& copy = source.store.copyOf(raw, static_cast<int32_t>(tensor.type));
    if (copy == nullptr) {
        std::byte* const bytes = source.store.allocate(size);
        std::memcpy(bytes, raw, size);
        copy = converted(tensor.type, bytes, size, source.store);
    }
    return {dims, {type, copy, count}};
}

namespace {

// The numbers of a short DOUBLE tensor that lies in the model; null for others.
std::shared_ptr<std::vector<double> const> doublesOf(TensorProto const& tensor, int64_t count) {
    if (tensor.type != ElementType::kDouble || tensor.isExternal || count > kMostDigits) {
        return nullptr;
    }
    std::vector<double> numbers = tensor.doubleData;
    if (tensor.rawData) {
        numbers.resize(static_cast<size_t>(count));
        std::memcpy(numbers.data(), tensor.rawData->data(), numbers.size() * sizeof(double));
    }
    return std::make_shared<std::vector<double> const>(std::move(numbers));
}

} // namespace

Value readValue(TensorProto const& tensor, TensorSource const& source) {
    Value value(readConstant(tensor, source));
    value.meant = tensor.type;
    value.doubles = doublesOf(tensor, value.constant.weights.count);
    return value;
}

namespace {

// Where the elements of a sparse tensor lie in the dense one.
std::vector<int64_t> placesOf(SparseTensorProto const& tensor, int64_t elements,
                              TensorSource const& source) {
    Constant const indices = readConstant(tensor.indices, source);
    auto const numbers = integersOf(indices, "indices of a sparse tensor");
    bool const isFlat = indices.dims.nbDims != 2;
    std::vector<int64_t> const extents = isFlat ? std::vector{elements} : tensor.dims;
    if (extents.empty() || numbers.size() % extents.size() != 0) {
        fail(ErrorCode::kINVALID_VALUE, tensor.values,
             text("expected indices of the flat tensor, or rows of ", tensor.dims.size(),
                  " coordinates, got ", tensor.indices.dims, "."));
    }
    std::vector<int64_t> places;
    for (size_t i = 0; i < numbers.size();) {
        int64_t place = 0;
        for (int64_t const extent : extents) {
            int64_t const index = numbers[i++];
            if (index < 0 || index >= extent) {
                fail(ErrorCode::kINVALID_VALUE, tensor.values,
                     text("expected indices of 0 .. ", extent - 1, ", got ", index, "."));
            }
            place = place * extent + index;
        }
        places.push_back(place);
    }
    return places;
}

} // namespace

Value readSparse(SparseTensorProto const& tensor, TensorSource const& source) {
    // A small file must not take much memory for zeros.
    constexpr int64_t kMostAnyway = 4096;
    constexpr int64_t kMostPerStored = 512;
    Value value = readValue(tensor.values, source);
    value.doubles = nullptr; // of the elements that are stored
    auto const& weights = value.constant.weights;
    TensorProto whole;
    whole.name = tensor.values.name;
    whole.dims = tensor.dims;
    Dims const dims = dimsOf(whole);
    int64_t const count = countOf(whole, dims);
    int32_t const bits = bitsOf(weights.type);
    if (bits < 8 || count / kMostPerStored > weights.count + kMostAnyway / kMostPerStored) {
        fail(ErrorCode::kUNSUPPORTED_NODE_DATATYPE, tensor.values,
             text("sparse tensor: expected elements of 8 bits or more, and ", kMostPerStored,
                  " times as many as it stores at most, got ", count, " for ", weights.count,
                  ". Store it dense."));
    }
    auto const places = placesOf(tensor, count, source);
    if (static_cast<int64_t>(places.size()) != weights.count) {
        fail(ErrorCode::kINVALID_VALUE, tensor.values,
             text("expected ", weights.count, " indices, got ", places.size(), "."));
    }
    auto const size = static_cast<size_t>(bits / 8);
    std::byte* const dense = source.store.allocate(static_cast<size_t>(count) * size);
    std::memset(dense, 0, static_cast<size_t>(count) * size);
    auto const* from = static_cast<std::byte const*>(weights.values);
    for (int64_t const place : places) {
        std::memcpy(dense + static_cast<size_t>(place) * size, from, size);
        from += size;
    }
    value.constant = {dims, {weights.type, dense, count}};
    return value;
}

size_t costOf(TensorProto const& tensor) {
    constexpr size_t kElementsPerNode = 64;
    size_t const elements = tensor.floatData.size() + tensor.int32Data.size() +
                            tensor.int64Data.size() + tensor.doubleData.size() +
                            tensor.uint64Data.size();
    return elements / kElementsPerNode;
}

Constant readSupplied(TensorProto const& tensor, std::string_view bytes, WeightStore& store) {
    Dims const dims = dimsOf(tensor);
    int64_t const count = countOf(tensor, dims);
    DataType const type = networkType(tensor);
    expectBytes(tensor, bytes.size(), byteSize(tensor, count));
    if (conversionOf(tensor.type) != nullptr) {
        std::byte* const copy = store.allocate(bytes.size());
        std::copy_n(reinterpret_cast<std::byte const*>(bytes.data()), bytes.size(), copy);
        return {dims, {type, converted(tensor.type, copy, bytes.size(), store), count}};
    }
    return {dims, {type, bytes.data(), count}};
}

void const* alignedElements(Constant const& constant, WeightStore& store) {
    void const* const values = constant.weights.values;
    auto const bits = static_cast<size_t>(bitsOf(constant.weights.type));
    auto const alignment = std::max<size_t>(bits / 8, 1);
    if (reinterpret_cast<uintptr_t>(values) % alignment == 0) {
        return values;
    }
    size_t const size = static_cast<size_t>(constant.weights.count) * alignment;
    std::byte* const copy = store.allocate(size);
    std::memcpy(copy, values, size);
    return copy;
}

namespace {

template <typename Element, typename Number>
std::vector<Number> numbers(Constant const& constant, Number (*convertOne)(Element)) {
    std::vector<Number> result(static_cast<size_t>(constant.weights.count));
    auto const* bytes = static_cast<std::byte const*>(constant.weights.values);
    for (size_t i = 0; i < result.size(); ++i) {
        Element element{};
        std::memcpy(&element, bytes + i * sizeof(Element), sizeof(Element));
        result[i] = convertOne(element);
    }
    return result;
}

} // namespace

std::vector<int64_t> integersOf(Constant const& constant, std::string_view what) {
    switch (constant.weights.type) {
    case DataType::kINT64: return numbers<int64_t, int64_t>(constant, [](int64_t x) { return x; });
    case DataType::kINT32:
        return numbers<int32_t, int64_t>(constant, [](int32_t x) { return int64_t{x}; });
    default:
        throw ImportError(
            ErrorCode::kUNSUPPORTED_NODE_DATATYPE,
            text(what, ": expected INT64 or INT32, got ", constant.weights.type, "."));
    }
}

std::vector<float> floatsOf(Constant const& constant, std::string_view what) {
    switch (constant.weights.type) {
    case DataType::kFLOAT: return numbers<float, float>(constant, [](float x) { return x; });
    case DataType::kHALF: return numbers<uint16_t, float>(constant, halfToFloat);
    case DataType::kBF16: return numbers<uint16_t, float>(constant, bfloat16ToFloat);
    case DataType::kINT8:
        return numbers<int8_t, float>(constant, [](int8_t x) { return static_cast<float>(x); });
    case DataType::kINT32:
        return numbers<int32_t, float>(constant, [](int32_t x) { return static_cast<float>(x); });
    case DataType::kINT64:
        return numbers<int64_t, float>(constant, [](int64_t x) { return static_cast<float>(x); });
    default:
        throw ImportError(ErrorCode::kUNSUPPORTED_NODE_DATATYPE,
                          text(what, ": expected numbers, got ", constant.weights.type, "."));
    }
}

} // namespace kiln::onnx
