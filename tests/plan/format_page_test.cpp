// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Checks that the hex dump in docs/plan-format.md is that of a real plan.
#include <fstream>
#include <regex>

#include <gtest/gtest.h>

#include "plan/plan_fixture.h"
#include "plan/writer.h"
#include "support/test_paths.h"

namespace kiln::plan::testing {
namespace {

std::string hexLine(Bytes const& plan, std::size_t offset) {
    std::string text = fmt::format("{:08x}:", offset);
    for (std::size_t i = offset; i < std::min(offset + 16, plan.size()); ++i) {
        text += fmt::format(" {:02x}", static_cast<unsigned>(plan[i]));
    }
    return text;
}

TEST(PlanFormatPage, DumpIsThatOfTheSmallDocument) {
    Bytes const plan = write(smallDocument());
    std::ifstream page(kiln::test::sourceFolder() + "/docs/plan-format.md");
    ASSERT_TRUE(page.is_open());
    std::regex const dumped("([0-9a-f]{8}): .*");
    int lines = 0;
    for (std::string line; std::getline(page, line);) {
        std::smatch match;
        if (!std::regex_match(line, match, dumped)) {
            continue;
        }
        ++lines;
        EXPECT_EQ(line.substr(0, line.find(" | ")),
                  hexLine(plan, std::stoul(match[1].str(), nullptr, 16)));
    }
    EXPECT_EQ(lines, 19);
}

} // namespace
} // namespace kiln::plan::testing
