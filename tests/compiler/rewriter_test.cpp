// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/rewriter.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "graph/ops/activation.h"
#include "target/backend_registry.h"

namespace kiln::compiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RewriterTest : public testing::Test {
protected:
    ValueId value(std::string_view name, plan::TensorRole role = plan::TensorRole::kInternal) {
        Value made;
        made.name = name;
        made.role = role;
        return program.addValue(std::move(made));
    }
    static Step step(std::string_view name, std::vector<ValueId> inputs, ValueId output) {
        Step made(std::move(inputs), {output});
        made.name = name;
        made.op = std::make_unique<graph::Activation>();
        return made;
    }
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (StepId const id : program.order()) {
            found.push_back(program.step(id).name);
        }
        return found;
    }

    graph::ExprPool pool;
    Options options;
    Program program{pool, target::BackendRegistry::instance().open("cpu"), nullptr, options};
    Rewriter rewriter{program};
    ValueId x = value("x", plan::TensorRole::kInput);
    ValueId y = value("y");
    ValueId z = value("z", plan::TensorRole::kOutput);
    StepId first = rewriter.append(step("first", {x}, y));
    StepId second = rewriter.append(step("second", {y, y}, z));
};

TEST_F(RewriterTest, ValuesKnowTheirProducerAndUsers) {
    EXPECT_EQ(program.value(y).producer(), first);
    EXPECT_EQ(program.value(x).producer(), StepId::kNone);
    EXPECT_THAT(program.value(y).users(),
                testing::UnorderedElementsAre(Use{second, 0}, Use{second, 1}));
    EXPECT_NO_THROW(checkProgram(program, "test"));
}

TEST_F(RewriterTest, OperandsAndUsesChangeOnBothSides) {
    rewriter.setInput(second, 1, x);
    EXPECT_THAT(program.value(y).users(), ElementsAre(Use{second, 0}));
    EXPECT_THAT(program.value(x).users(),
                testing::UnorderedElementsAre(Use{first, 0}, Use{second, 1}));
    rewriter.replaceUses(y, x);
    EXPECT_TRUE(program.value(y).users().empty());
    EXPECT_THAT(program.step(second).inputs(), ElementsAre(x, x));
    EXPECT_NO_THROW(checkProgram(program, "test"));
}

TEST_F(RewriterTest, StepsAreInsertedAnywhere) {
    ValueId const between = value("between");
    StepId const middle = rewriter.insertAfter(first, step("middle", {y}, between));
    rewriter.setInputs(second, {between});
    rewriter.insertBefore(first, step("start", {x}, value("unused")));
    EXPECT_THAT(names(), ElementsAre("start", "first", "middle", "second"));
    EXPECT_EQ(program.afterOf(middle), second);
    EXPECT_NO_THROW(checkProgram(program, "test"));
}

TEST_F(RewriterTest, StepsMayBeErasedAndInsertedDuringAWalk) {
    std::vector<std::string> seen;
    for (StepId const id : program.order()) {
        seen.push_back(program.step(id).name);
        if (id == first) {
            ValueId const other = value("other");
            rewriter.insertAfter(first, step("inserted", {x}, other));
            rewriter.setInputs(second, {other});
            rewriter.erase(first);
        }
    }
    EXPECT_THAT(seen, ElementsAre("first", "inserted", "second"));
    EXPECT_THAT(names(), ElementsAre("inserted", "second"));
    EXPECT_NO_THROW(checkProgram(program, "test"));
}

TEST_F(RewriterTest, UnusedStepsGoWithWhatOnlyTheyRead) {
    ValueId const dead = value("dead");
    rewriter.append(step("dead", {y}, dead));
    rewriter.eraseUnused();
    EXPECT_THAT(names(), ElementsAre("first", "second"));
    rewriter.setInputs(second, {x});
    rewriter.eraseUnused();
    EXPECT_THAT(names(), ElementsAre("second"));
}

TEST_F(RewriterTest, JoinedStepsKeepTheNamesAndTheReason) {
    rewriter.join(second, {&first, 1}, "some_pattern");
    EXPECT_EQ(program.step(second).name, "second + first");
    EXPECT_THAT(program.step(second).rewrites, ElementsAre("some_pattern: first"));
}

TEST_F(RewriterTest, ChangedStepsAreThoseNearby) {
    static_cast<void>(rewriter.takeChanged());
    rewriter.setInput(second, 0, x);
    EXPECT_THAT(rewriter.takeChanged(), ElementsAre(first, second));
    EXPECT_TRUE(rewriter.takeChanged().empty());
}

TEST_F(RewriterTest, ReadingBeforeProducingIsFound) {
    ValueId const late = value("late");
    rewriter.append(step("producer", {x}, late));
    rewriter.setInput(first, 0, late);
    EXPECT_THAT(test::errorOf(ErrorKind::kInternal, [&] { checkProgram(program, "bad"); }),
                HasSubstr("after pass 'bad', 'late': it is read before it is produced"));
}

} // namespace
} // namespace kiln::compiler
