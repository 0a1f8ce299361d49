// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Cast and CastLike. A cast to a type that networks lack gives the numbers of that type, in the
// type that stands for it.
// Layer: cast, and elementwise for types that networks lack.

#include "onnx/checked_numbers.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/narrow_float.h"
#include "onnx/tensor_data.h"
#include "onnx/whole_numbers.h"

#include <cstring>
#include <vector>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

PowerRounding powerRoundingOf(NodeContext& context) {
    std::string const mode = context.attributes().string("round_mode", "up");
    return mode == "up"     ? PowerRounding::kUp
           : mode == "down" ? PowerRounding::kDown
                            : PowerRounding::kNearest;
}

// FLOAT numbers as those of an 8-bit type; `isSame` if they are already.
Term rounded(NodeContext& context, Term x, ElementType to) {
    bool const saturates = context.attributes().flag("saturate", true);
    Overflow const overflow = saturates ? Overflow::kSaturate : Overflow::kSpecial;
    return to == ElementType::kFloat8E8M0 ? roundedToPower(x, powerRoundingOf(context), overflow)
                                          : roundedTo(x, to, overflow);
}

// Whole numbers of a type of the model; the network has a wider one for it, or INT4.
Term wholeNumbers(Term x, ElementType to) {
    auto const form = wholeFormOf(to);
    bool const fitsNarrow = form && form->bits <= 16;
    return wrapped(x.cast(fitsNarrow ? DataType::kINT32 : DataType::kINT64), to);
}

// A few constant numbers in another type of real numbers: scales and bounds that a converter stored
// as FLOAT16 in front of an operator that takes FLOAT. Others stay weights, which can be refitted.
bool isFoldable(NodeContext& context, DataType type) {
    Value const& value = context.input(0);
    if (!value.isConstant || type != DataType::kFLOAT || isReplaced(context.elementType(0))) {
        return false;
    }
    DataType const from = value.constant.weights.type;
    return (from == DataType::kHALF || from == DataType::kBF16) &&
           value.constant.weights.count <= nvinfer1::Dims::MAX_DIMS;
}

Value folded(NodeContext& context) {
    Constant const& source = context.input(0).constant;
    std::vector<float> const numbers = floatsOf(source, "input 0");
    size_t const size = numbers.size() * sizeof(float);
    std::byte* const bytes = context.tensors().store.allocate(size);
    if (size > 0) {
        std::memcpy(bytes, numbers.data(), size);
    }
    return Value(Constant{source.dims, {DataType::kFLOAT, bytes, source.weights.count}});
}

void convert(NodeContext& context, ElementType to, DataType type) {
    ElementType const from = context.elementType(0);
    bool const saturates = context.attributes().flag("saturate", true);
    if (to == ElementType::kFloat && isFoldable(context, type)) {
        context.setOutput(0, folded(context), to);
        return;
    }
    Term const x = Term::input(context, 0);
    Term source = x;
    if (isNarrowFloat(to)) {
        powerRoundingOf(context);
        source = from == to ? x : rounded(context, x.cast(DataType::kFLOAT), to);
    } else if (to == ElementType::kFloat8E4M3FN && !saturates && isReal(x.type())) {
        source = withoutOverflow(x.cast(DataType::kFLOAT));
    } else if ((isReplaced(to) || to == ElementType::kInt4) && wholeFormOf(to) &&
               !holdsAll(to, from)) {
        source = wholeNumbers(x, to);
    }
    auto& layer = context.named(context.network().addCast(source.tensor(), type));
    Term result(context, *layer.getOutput(0));
    if (from == ElementType::kUint64 && isReal(type)) { // INT64 has the bits of large numbers
        Term const wide = result.cast(DataType::kFLOAT);
        result = (x < 0.0).choose(wide + 0x1p64, wide).cast(type);
    }
    context.setOutput(0, result.value(), to);
}

void importCast(NodeContext& context) {
    int64_t const number = context.attributes().integer("to", 0);
    auto const to = static_cast<ElementType>(toInt32(number, "attribute 'to'"));
    convert(context, to, requireDataType(to, "attribute 'to'"));
}

void importCastLike(NodeContext& context) {
    convert(context, context.elementType(1), NodeContext::typeOf(context.input(1)));
}

} // namespace

void registerImporter_cast(ImporterRegistry& registry) {
    registry.add("Cast", importCast);
    registry.add("CastLike", importCastLike);
}

} // namespace kiln::onnx
