// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// BitCast: the bits as elements of another type of that size. A network has no 16-bit and no
// unsigned integers but UINT8; they are there as numbers of a wider type (docs/onnx.md).
// Layer: bit cast, a layer of Kiln's own. DOUBLE up to 8 elements; 16-bit integers only from each
// other.

#include "onnx/checked_numbers.h"
#include "onnx/double_numbers.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <kiln/extra_layers.h>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

// Numbers of `bits` bits that are signed, as unsigned ones.
Term unsignedOf(Term x, double range) {
    return (x < 0.0).choose(x + range, x);
}

Term signedOf(Term x, double range) {
    return (x >= range / 2).choose(x - range, x);
}

Term sameAs(Term x) {
    return x.of(x.context().network().addIdentity(x.tensor()));
}

bool isReplacement(Term x, ElementType to) {
    return x.type() == requireDataType(to, "attribute 'to'");
}

// The result for types that the network has only as wider ones; none for others.
Term replaced(Term x, ElementType to) {
    constexpr double kRange16 = 0x1p16;
    constexpr double kRange32 = 0x1p32;
    NodeContext& context = x.context();
    switch (to) {
    case ElementType::kInt16: return isReplacement(x, to) ? signedOf(x, kRange16) : Term();
    case ElementType::kUint16: return isReplacement(x, to) ? unsignedOf(x, kRange16) : Term();
    case ElementType::kInt64:
    case ElementType::kUint64:
    case ElementType::kDouble: return isReplacement(x, to) ? sameAs(x) : Term();
    case ElementType::kUint32: {
        if (x.type() == DataType::kINT64) {
            return sameAs(x);
        }
        Term const bits = x.of(addBitCast(context.network(), x.tensor(), DataType::kINT32));
        return unsignedOf(bits.cast(DataType::kINT64), kRange32);
    }
    default: break;
    }
    bool const fromUnsigned = x.type() == DataType::kINT64; // of 32 bits
    Term const source = fromUnsigned ? x.cast(DataType::kINT32) : x;
    return x.of(
        addBitCast(context.network(), source.tensor(), requireDataType(to, "attribute 'to'")));
}

// A few DOUBLE numbers have their bits beside them.
bool importDoubles(NodeContext& context, ElementType to) {
    bool const isWhole = to == ElementType::kInt64 || to == ElementType::kUint64;
    if (isWhole && hasDigits(context, context.input(0))) {
        context.setOutput(0, sameAs(bitsOf(context, context.input(0))).value(), to);
        return true;
    }
    Value wanted = context.input(0);
    wanted.meant = to;
    if (NodeContext::typeOf(wanted) == DataType::kINT64 && hasDigits(context, wanted)) {
        context.setOutput(0, fromBits(Term::input(context, 0)));
        return true;
    }
    return false;
}

void importBitCast(NodeContext& context) {
    auto const to =
        static_cast<ElementType>(toInt32(context.attributes().integer("to", 0), "attribute 'to'"));
    if (importDoubles(context, to)) {
        return;
    }
    Term const x = Term::input(context, 0);
    Term const result = replaced(x, to);
    if (!result.exists()) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_DATATYPE,
                     text("expected types whose bits a network has, got ", x.type(), " and ",
                          nameOf(to), "."));
    }
    context.setOutput(0, result.value());
}

} // namespace

void registerImporter_bit_cast(ImporterRegistry& registry) {
    registry.add("BitCast", importBitCast);
}

} // namespace kiln::onnx
