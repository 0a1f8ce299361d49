// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The callbacks of a plugin in order, in sections, with a number for each plugin object. The
// documentation leaves open how often some are called; normalised() drops their repetitions, so
// that the rest can be compared word by word.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::test {

class Trace {
public:
    int newObject() { return objects_++; }
    int objects() const { return objects_; }

    void section(std::string const& title) { lines_.push_back("== " + title); }
    void note(std::string const& text) { lines_.push_back("  " + text); }
    /// One callback of object `id`, as "name(arguments) -> result".
    void callback(int id, std::string const& text) {
        lines_.push_back("  #" + std::to_string(id) + " " + text);
    }

    std::string normalised() const {
        std::vector<std::string> kept;
        std::ptrdiff_t section = 0; // start of the current section in `kept`
        for (std::string const& line : lines_) {
            if (line.starts_with("== ")) {
                section = static_cast<std::ptrdiff_t>(kept.size());
            } else if (mayRepeat(line) &&
                       std::find(kept.begin() + section, kept.end(), line) != kept.end()) {
                continue;
            }
            kept.push_back(line);
        }
        std::string text;
        for (std::string const& line : kept) {
            text += line + "\n";
        }
        return text;
    }

    int count(std::string_view part) const {
        return static_cast<int>(std::count_if(lines_.begin(), lines_.end(), [&](auto const& line) {
            return line.find(part) != std::string::npos;
        }));
    }

private:
    /// Queries, serialization, timing runs and the second detachFromContext of the original.
    static bool mayRepeat(std::string const& line) {
        static constexpr std::array<std::string_view, 8> kFree{
            " supportsFormatCombination", " getWorkspaceSize",     " getOutputDimensions",
            " getOutputShapes",           " getSerializationSize", " serialize",
            " getFieldsToSerialize",      " detachFromContext",
        };
        return line.find(" enqueue(") != std::string::npos ||
               std::any_of(kFree.begin(), kFree.end(), [&](std::string_view name) {
                   return line.find(name) != std::string::npos;
               });
    }

    std::vector<std::string> lines_;
    int objects_ = 0;
};

} // namespace kiln::test
