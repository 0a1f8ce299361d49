// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// IsAllFinite of com.microsoft: whether no element of any input is NaN or infinite.
// Layer: elementwise and reduce.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

#include <limits>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

void importAllFinite(NodeContext& context) {
    auto& attributes = context.attributes();
    bool const onlyNan = attributes.flag("isnan_only", false);
    bool const onlyInfinity = attributes.flag("isinf_only", false);
    Term result = Term::number(context, 1, DataType::kINT32);
    for (size_t i = 0; i < context.nbInputs(); ++i) {
        Term const x = Term::input(context, i);
        Term const isInfinite = x.abs() == std::numeric_limits<double>::infinity();
        Term const isNan = !(x == x);
        Term const bad = onlyNan ? isNan : onlyInfinity ? isInfinite : isNan || isInfinite;
        Term const good = (!bad).cast(DataType::kINT32);
        result = result.min(good.smallest(axesBetween(0, good.rank()), false));
    }
    context.setOutput(0, (result > 0.0).value());
}

} // namespace

void registerImporter_all_finite(ImporterRegistry& registry) {
    registry.add("com.microsoft", "IsAllFinite", importAllFinite);
}

} // namespace kiln::onnx
