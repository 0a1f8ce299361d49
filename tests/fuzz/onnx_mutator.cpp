// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/onnx_mutator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace {

using protozero::pbf_wire_type;

enum class Kind {
    kModel,
    kGraph,
    kFunction,
    kNode,
    kAttribute,
    kTensor,
    kEntry, ///< of external data
    kValue,
    kType,
    kTensorType,
    kShape,
    kDimension,
    kOther
};

/// A field as it was read: a number, bytes, or the fields of a message that the mutator knows.
struct Field {
    uint32_t number = 0;
    pbf_wire_type wire = pbf_wire_type::varint;
    Kind parent = Kind::kOther;
    Kind kind = Kind::kOther; ///< if it is a message
    uint64_t value = 0;
    std::string bytes;
    std::vector<Field> fields;
};

Kind childKind(Kind parent, uint32_t number) {
    struct Row {
        Kind parent;
        uint32_t number;
        Kind child;
    };
    static constexpr Row kRows[] = {
        {Kind::kModel, 7, Kind::kGraph},      {Kind::kModel, 8, Kind::kOther},
        {Kind::kModel, 25, Kind::kFunction},  {Kind::kFunction, 7, Kind::kNode},
        {Kind::kAttribute, 6, Kind::kGraph},  {Kind::kGraph, 1, Kind::kNode},
        {Kind::kGraph, 5, Kind::kTensor},     {Kind::kGraph, 11, Kind::kValue},
        {Kind::kGraph, 12, Kind::kValue},     {Kind::kNode, 5, Kind::kAttribute},
        {Kind::kAttribute, 5, Kind::kTensor}, {Kind::kValue, 2, Kind::kType},
        {Kind::kType, 1, Kind::kTensorType},  {Kind::kTensorType, 2, Kind::kShape},
        {Kind::kShape, 1, Kind::kDimension},  {Kind::kTensor, 13, Kind::kEntry},
    };
    for (Row const& row : kRows) {
        if (row.parent == parent && row.number == number) {
            return row.child;
        }
    }
    return Kind::kOther;
}

/// Messages further inside stay bytes: Kiln reads no deeper, and the stack ends.
constexpr int kDeepest = 256;

std::vector<Field> readFields(std::string const& bytes, Kind kind, int depth = 0) {
    std::vector<Field> fields;
    protozero::pbf_reader reader(bytes);
    while (reader.next()) {
        Field field;
        field.number = reader.tag();
        field.wire = reader.wire_type();
        field.parent = kind;
        switch (field.wire) {
        case pbf_wire_type::varint: field.value = reader.get_uint64(); break;
        case pbf_wire_type::fixed32: field.value = reader.get_fixed32(); break;
        case pbf_wire_type::fixed64: field.value = reader.get_fixed64(); break;
        default:
            field.bytes = reader.get_string();
            field.kind = depth < kDeepest ? childKind(kind, field.number) : Kind::kOther;
            if (field.kind != Kind::kOther) {
                field.fields = readFields(field.bytes, field.kind, depth + 1);
            }
        }
        fields.push_back(std::move(field));
    }
    return fields;
}

std::string written(std::vector<Field> const& fields) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    for (Field const& field : fields) {
        switch (field.wire) {
        case pbf_wire_type::varint: writer.add_uint64(field.number, field.value); break;
        case pbf_wire_type::fixed32:
            writer.add_fixed32(field.number, static_cast<uint32_t>(field.value));
            break;
        case pbf_wire_type::fixed64: writer.add_fixed64(field.number, field.value); break;
        default:
            writer.add_bytes(field.number,
                             field.kind == Kind::kOther ? field.bytes : written(field.fields));
        }
    }
    return bytes;
}

struct Place {
    std::vector<Field>* list;
    std::size_t index;
    Field& field() const { return (*list)[index]; }
};

void collect(std::vector<Field>& fields, std::vector<Place>& places) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
        places.push_back({&fields, i});
        collect(fields[i].fields, places);
    }
}

class Mutator {
public:
    Mutator(std::vector<Place> const& places, std::mt19937_64& random)
        : places_(places), random_(random) {}

    void change(Place place) {
        Field& field = place.field();
        if (below(6) == 0) {
            changeList(place);
        } else if (field.wire != pbf_wire_type::length_delimited) {
            field.value = below(3) == 0 ? field.value + below(5) - 2 : number();
        } else if (field.kind != Kind::kOther) {
            changeList(place);
        } else if (holdsNumbers(field)) {
            changeNumbers(field.bytes);
        } else if (field.parent == Kind::kTensor && field.number == 9) {
            changeRaw(field.bytes);
        } else if (field.parent == Kind::kEntry && field.number == 2 && below(2) == 0) {
            field.bytes = std::to_string(below(2) == 0 ? below(4200) : number());
        } else if (field.parent == Kind::kNode && field.number == 4) {
            field.bytes = kOperators[below(kOperators.size())];
        } else {
            changeName(field);
        }
    }

private:
    static constexpr std::array kOperators{"Add",
                                           "Clip",
                                           "Concat",
                                           "Conv",
                                           "ConstantOfShape",
                                           "Expand",
                                           "Flatten",
                                           "Gather",
                                           "GatherElements",
                                           "GatherND",
                                           "Gemm",
                                           "Identity",
                                           "MatMul",
                                           "Max",
                                           "MaxPool",
                                           "Pad",
                                           "Range",
                                           "ReduceSum",
                                           "Relu",
                                           "Reshape",
                                           "Shape",
                                           "Size",
                                           "Slice",
                                           "Softmax",
                                           "Split",
                                           "Squeeze",
                                           "Transpose",
                                           "Unsqueeze",
                                           "Where",
                                           "Cast",
                                           "Dropout",
                                           "Div",
                                           "If",
                                           "Loop",
                                           "Scan",
                                           "SequenceAt",
                                           "SequenceConstruct",
                                           "ConcatFromSequence"};

    std::size_t below(std::size_t limit) { return random_() % std::max<std::size_t>(limit, 1); }

    uint64_t number() {
        static constexpr int64_t kNumbers[] = {0,
                                               1,
                                               2,
                                               3,
                                               4,
                                               7,
                                               8,
                                               9,
                                               13,
                                               64,
                                               65,
                                               -1,
                                               -2,
                                               -3,
                                               -8,
                                               -9,
                                               255,
                                               65536,
                                               INT32_MAX,
                                               INT32_MIN,
                                               int64_t{1} << 31,
                                               int64_t{1} << 32,
                                               (int64_t{1} << 32) + 1,
                                               int64_t{1} << 40,
                                               int64_t{1} << 62,
                                               INT64_MAX,
                                               INT64_MIN,
                                               INT64_MIN + 1};
        return static_cast<uint64_t>(kNumbers[below(std::size(kNumbers))]);
    }

    static bool holdsNumbers(Field const& field) {
        return (field.parent == Kind::kTensor && (field.number == 1 || field.number == 7)) ||
               (field.parent == Kind::kAttribute && field.number == 8);
    }

    /// Changes a list of packed varints.
    void changeNumbers(std::string& bytes) {
        std::vector<uint64_t> numbers;
        char const* at = bytes.data();
        char const* const end = at + bytes.size();
        while (at != end) {
            numbers.push_back(protozero::decode_varint(&at, end));
        }
        changeElements(numbers);
        bytes.clear();
        for (uint64_t const value : numbers) {
            protozero::write_varint(std::back_inserter(bytes), value);
        }
    }

    /// Changes raw_data as if it held int64.
    void changeRaw(std::string& bytes) {
        if (bytes.empty() || bytes.size() % 8 != 0 || below(8) == 0) {
            bytes.resize(below(bytes.size() + 9));
            return;
        }
        std::vector<uint64_t> numbers(bytes.size() / 8);
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
        changeElements(numbers);
        bytes.resize(numbers.size() * 8);
        if (!bytes.empty()) {
            std::memcpy(bytes.data(), numbers.data(), bytes.size());
        }
    }

    void changeElements(std::vector<uint64_t>& numbers) {
        std::size_t const at = below(numbers.size());
        switch (numbers.empty() ? 0 : below(6)) {
        case 0: numbers.insert(numbers.begin() + static_cast<std::ptrdiff_t>(at), number()); break;
        case 1: numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(at)); break;
        case 2: std::swap(numbers[at], numbers[below(numbers.size())]); break;
        case 3: numbers.resize(numbers.size() + below(20), numbers[at]); break;
        case 4: numbers[at] += below(5) - 2; break;
        default: numbers[at] = number(); break;
        }
    }

    /// Replaces a name by another one of the model, or by an empty one.
    void changeName(Field& field) {
        for (int tries = 0; tries < 20; ++tries) {
            Field const& other = places_[below(places_.size())].field();
            bool const isName = other.wire == pbf_wire_type::length_delimited &&
                                other.kind == Kind::kOther && !holdsNumbers(other);
            if (isName && other.bytes.size() < 40) {
                field.bytes = other.bytes;
                return;
            }
        }
        field.bytes.clear();
    }

    void changeList(Place place) {
        std::vector<Field>& list = *place.list;
        auto const at = list.begin() + static_cast<std::ptrdiff_t>(place.index);
        switch (below(4)) {
        case 0: list.erase(at); break;
        case 1: std::swap(list[place.index], list[below(list.size())]); break;
        case 2: { // the same field of another message
            Field const& other = places_[below(places_.size())].field();
            if (other.parent == at->parent) {
                list.push_back(Field(other));
            }
            break;
        }
        default: {
            Field const copy = *at;
            list.insert(at, below(8) == 0 ? 12 : 1, copy);
        }
        }
    }

    std::vector<Place> const& places_;
    std::mt19937_64& random_;
};

} // namespace

void mutateOnnx(std::vector<std::byte>& model, std::mt19937_64& random) {
    std::vector<Field> fields;
    try {
        fields =
            readFields({reinterpret_cast<char const*>(model.data()), model.size()}, Kind::kModel);
        std::vector<Place> places;
        collect(fields, places);
        if (places.empty()) {
            return;
        }
        Mutator(places, random).change(places[random() % places.size()]);
    } catch (protozero::exception const&) {
        return; // damaged by an earlier mutation
    }
    std::string const bytes = written(fields);
    model.assign(reinterpret_cast<std::byte const*>(bytes.data()),
                 reinterpret_cast<std::byte const*>(bytes.data()) + bytes.size());
}
