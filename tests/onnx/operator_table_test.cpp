// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/operator_table.h"

#include "onnx/import_error.h"

#include <gtest/gtest.h>

#include <string>

namespace kiln::onnx {
namespace {

TEST(OperatorTable, TakesTheNewestVersionOfTheOperatorSet) {
    EXPECT_EQ(findOperator("Pad", 10)->inputs.most, 1);
    EXPECT_EQ(findOperator("Pad", 11)->inputs.most, 3);
    EXPECT_EQ(findOperator("Pad", 17)->inputs.least, 2);
    EXPECT_EQ(findOperator("Pad", 21)->inputs.most, 4);
    EXPECT_EQ(findOperator("Gelu", 7)->since, 20); // newer than the operator set
    EXPECT_EQ(findOperator("CircPad", 21), nullptr);
    EXPECT_EQ(findOperator("", 21), nullptr);
    EXPECT_EQ(findOperator("zzz", 21), nullptr);
}

TEST(OperatorTable, CountsInputsAndOutputs) {
    NodeProto node;
    node.opType = "Clip";
    node.inputs = {"x", "", "high"};
    node.outputs = {"y"};
    EXPECT_NO_THROW(expectArity(node, 13));
    EXPECT_THROW(expectArity(node, 10), ImportError);
    node.outputs.clear();
    EXPECT_THROW(expectArity(node, 13), ImportError);
    node.opType = "NoOperator";
    EXPECT_NO_THROW(expectArity(node, 13));
}

} // namespace
} // namespace kiln::onnx
