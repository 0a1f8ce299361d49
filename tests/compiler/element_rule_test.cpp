// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/element_rule.h"

#include <gtest/gtest.h>

namespace kiln::compiler {
namespace {

std::optional<ElementRule> ruleOf(graph::ExprPool& pool, std::vector<double> const& elements,
                                  int64_t rows) {
    return matrixRule(pool, elements, rows, static_cast<int64_t>(elements.size()) / rows, 3);
}

TEST(MatrixRule, EqualElements) {
    graph::ExprPool pool;
    auto const rule = ruleOf(pool, {0.5, 0.5, 0.5, 0.5}, 2);
    ASSERT_TRUE(rule.has_value());
    EXPECT_TRUE(rule->isChoice);
    EXPECT_EQ(rule->yes, 0.5);
    EXPECT_EQ(rule->no, 0.5);
}

TEST(MatrixRule, Triangles) {
    for (int64_t const diagonal : {-1, 0, 2}) {
        std::vector<double> elements;
        for (int64_t row = 0; row < 4; ++row) {
            for (int64_t column = 0; column < 5; ++column) {
                elements.push_back(column <= row + diagonal ? 1.0 : -9.0);
            }
        }
        graph::ExprPool pool;
        auto const rule = ruleOf(pool, elements, 4);
        ASSERT_TRUE(rule.has_value());
        EXPECT_TRUE(rule->isChoice);
        EXPECT_EQ(rule->yes, 1.0);
        EXPECT_EQ(rule->no, -9.0);
        EXPECT_EQ(pool.constantOr(rule->offset, 99), diagonal);
        EXPECT_EQ(rule->along[1], 1);
        EXPECT_EQ(rule->along[2], -1);
        elements[7] = 3.0;
        EXPECT_FALSE(ruleOf(pool, elements, 4).has_value());
    }
}

TEST(MatrixRule, Ramps) {
    graph::ExprPool pool;
    auto const rule = ruleOf(pool, {5, 3, 1, 6, 4, 2}, 2);
    ASSERT_TRUE(rule.has_value());
    EXPECT_FALSE(rule->isChoice);
    EXPECT_EQ(pool.constantOr(rule->offset), 5);
    EXPECT_EQ(rule->along[1], 1);
    EXPECT_EQ(rule->along[2], -2);
    EXPECT_FALSE(ruleOf(pool, {0.5, 1.0, 1.5}, 1).has_value()); // no integers
    EXPECT_FALSE(ruleOf(pool, {1, 2, 4}, 1).has_value());
}

} // namespace
} // namespace kiln::compiler
