// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/message_codes.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kiln {
namespace {

/// A message of a pattern with `value` for each value, and the area before a part of a message.
std::string filled(MessagePattern const& pattern, std::string_view value) {
    std::string text;
    if (pattern.text.starts_with('\a')) {
        text.append("[").append(pattern.area).append("] ");
    }
    for (char const letter : pattern.text) {
        letter == '\a' ? text.append(value) : text.append(1, letter);
    }
    return text;
}

std::string coded(MessagePattern const& pattern) {
    return std::string(pattern.area) + "-" + std::to_string(pattern.number);
}

TEST(MessageCodes, APatternFitsTheWholeMessage) {
    EXPECT_TRUE(fits("[run] 'x': got 3.", "[run] '\a': got \a."));
    EXPECT_TRUE(fits("[run] layer 'y': [run] 'x': got 3.", "\a'x': got \a."));
    EXPECT_TRUE(fits("got 3 of 4", "got \a"));
    EXPECT_FALSE(fits("[run] 'x': got 3. Then", "[run] '\a': got \a."));
    EXPECT_FALSE(fits("in [run] 'x': got 3.", "[run] '\a': got \a."));
    EXPECT_FALSE(fits("[run] 'x': got 3", "[run] '\a': got \a."));
    EXPECT_FALSE(fits("", "got \a"));
}

TEST(MessageCodes, APartStartsInTheFirstLine) {
    EXPECT_TRUE(fits("a plugin: expected 3\nin file.py", "\aexpected \a"));
    EXPECT_FALSE(fits("a plugin: failed\nValueError: expected 3", "\aexpected \a"));
}

TEST(MessageCodes, EveryMessageFindsItsOwnCode) {
    size_t wrong = 0;
    for (MessagePattern const& pattern : messagePatterns()) {
        wrong += codeOf(withCode(filled(pattern, "conv1"))) != coded(pattern);
    }
    EXPECT_EQ(wrong, 0U);
}

TEST(MessageCodes, ACodeIsAddedOnce) {
    std::string const once = withCode("[kiln] host memory ran out. Use smaller shapes or batches.");
    EXPECT_TRUE(once.starts_with("[kiln] host memory ran out. Use smaller shapes or batches. (k"));
    EXPECT_EQ(withCode(once), once);
}

TEST(MessageCodes, AQuotedMessageGivesItsCode) {
    MessagePattern const& cause = messagePatterns().front();
    std::string const code = coded(cause);
    std::string const wrapped = "[run] layer 'x' failed: broken (" + code + "). Run it again.";
    EXPECT_EQ(withCode(wrapped), "[run] layer 'x' failed: broken. Run it again. (" + code + ")");
    EXPECT_EQ(withCode("a (" + code + "), b (" + code + ")"), "a, b (" + code + ")");
}

TEST(MessageCodes, MessagesOfOthersStayAsTheyAre) {
    for (std::string const text :
         {"", "my plugin broke", "f(x-1) (y-2) (abc-3)", "ValueError: no (run-0) (run-99999)"}) {
        EXPECT_EQ(withCode(text), text);
        EXPECT_EQ(codeOf(text), "");
    }
}

TEST(MessageCodes, ErrorsHaveCodes) {
    try {
        raise(ErrorKind::kInternal, filled(messagePatterns().front(), "7"));
    } catch (Error const& error) {
        EXPECT_EQ(codeOf(error.what()), coded(messagePatterns().front()));
    }
}

} // namespace
} // namespace kiln
