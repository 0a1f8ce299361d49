// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/operator_table.h"

#include "onnx/import_error.h"
#include "onnx/text.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace kiln::onnx {

namespace {

constexpr int32_t kUnbounded = std::numeric_limits<int32_t>::max();

// Sorted by name, then by operator set.
constexpr OperatorVersion kRows[] = {
#include "onnx/operator_rows.inc"
};

void expectCount(NodeProto const& node, int64_t opset, Arity arity, size_t got,
                 std::string_view what) {
    auto const count = static_cast<int64_t>(got);
    if (count >= arity.least && count <= arity.most) {
        return;
    }
    std::string const wanted = arity.least == arity.most  ? text(arity.least)
                               : arity.most == kUnbounded ? text(arity.least, " or more")
                                                          : text(arity.least, " to ", arity.most);
    throw ImportError(ErrorCode::kINVALID_NODE,
                      text("expected ", wanted, ' ', what, " of ", node.opType, " in operator set ",
                           opset, ", got ", got, "."));
}

} // namespace

bool isStandardDomain(std::string_view domain) {
    return domain.empty() || domain == "ai.onnx";
}

OperatorVersion const* findOperator(std::string_view name, int64_t opset) {
    auto const byName = [](OperatorVersion const& row, std::string_view wanted) {
        return row.name < wanted;
    };
    auto const* row = std::lower_bound(std::begin(kRows), std::end(kRows), name, byName);
    if (row == std::end(kRows) || row->name != name) {
        return nullptr;
    }
    while (row + 1 != std::end(kRows) && row[1].name == name && row[1].since <= opset) {
        ++row;
    }
    return row;
}

void expectArity(NodeProto const& node, int64_t opset) {
    if (!isStandardDomain(node.domain)) {
        return;
    }
    if (OperatorVersion const* const found = findOperator(node.opType, opset)) {
        expectCount(node, opset, found->inputs, node.inputs.size(), "inputs");
        expectCount(node, opset, found->outputs, node.outputs.size(), "outputs");
    }
}

} // namespace kiln::onnx
