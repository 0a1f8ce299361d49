// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Grammar: NVIDIA's "Parallel Thread Execution ISA", chapters on directives (.version, .target,
// .entry, .param). Instructions are only searched for names of parameters.
#include "plugin/code/ptx.h"

#include <algorithm>
#include <charconv>

#include "base/gpu_architecture.h"
#include "plugin/code/ptx_tokens.h"

namespace kiln::plugin {
namespace {

template <typename T>
bool parseNumber(std::string_view text, T& value) {
    auto const result = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && result.ec == std::errc() && result.ptr == text.data() + text.size();
}

class Parser {
public:
    explicit Parser(std::string_view text) : tokens_(text) {}

    CodeInfo run() {
        expect(".version");
        readVersion();
        expect(".target");
        readTarget();
        for (std::string_view word = tokens_.next(); !word.empty(); word = tokens_.next()) {
            if (word == ".entry") {
                readEntry();
            }
        }
        return std::move(info_);
    }

private:
    [[noreturn]] void damaged(std::string_view wanted, std::string_view got) {
        fail(ErrorKind::kCorruptData,
             "PTX, line {}: expected {}, got '{}'. Compile the code again.", tokens_.line(), wanted,
             got.substr(0, 40));
    }

    void expect(std::string_view word) {
        std::string_view const got = tokens_.next();
        if (got != word) {
            damaged(word, got);
        }
    }

    void readVersion() {
        std::string_view const text = tokens_.next();
        std::size_t const dot = text.find('.');
        int32_t major = 0;
        int32_t minor = 0;
        if (dot == std::string_view::npos || !parseNumber(text.substr(0, dot), major) ||
            !parseNumber(text.substr(dot + 1), minor) || major < 1 || major > 99 || minor < 0 ||
            minor > 9) {
            damaged("a version such as 9.0", text);
        }
        info_.ptxVersion = 10 * major + minor;
    }

    void readTarget() {
        std::string_view const text = tokens_.next();
        std::optional<GpuArchitecture> const architecture = parseGpuArchitecture(text);
        if (!architecture.has_value()) {
            damaged("an architecture such as sm_90", text);
        }
        info_.architecture = architecture->text();
    }

    void readEntry() {
        CodeEntry entry;
        entry.name = tokens_.next();
        std::vector<std::string_view> names;
        if (tokens_.skip("(") && !tokens_.skip(")")) {
            do {
                names.push_back(readParameter(entry));
            } while (tokens_.skip(","));
            expect(")");
        }
        if (!passHead()) { // a declaration
            return;
        }
        std::vector<bool> const used = readBody(names);
        for (std::size_t i = 0; i < used.size(); ++i) {
            entry.parameters[i].used = used[i];
        }
        info_.entries.push_back(std::move(entry));
    }

    /// One ".param [.align N] .type [.ptr [.space] [.align N]] name[size]"; returns the name.
    std::string_view readParameter(CodeEntry& entry) {
        expect(".param");
        CodeParameter parameter;
        std::string_view word = tokens_.next();
        while (word.starts_with('.')) {
            if (word == ".align") {
                tokens_.next();
            } else if (parameter.bytes == 0) {
                parameter = parameterOf(word);
            }
            word = tokens_.next();
        }
        if (parameter.bytes == 0 || word.empty()) {
            damaged("a parameter with a type and a name", word);
        }
        while (tokens_.skip("[")) {
            std::string_view const text = tokens_.next();
            int64_t count = 0;
            if (!parseNumber(text, count) || count < 1 || count > kMostBytes) {
                damaged("the extent of a parameter", text);
            }
            parameter.bytes = std::min(parameter.bytes * count, kMostBytes);
            parameter.holds = ParameterClass::kUnknown;
            expect("]");
        }
        entry.parameters.push_back(parameter);
        return word;
    }

    CodeParameter parameterOf(std::string_view type) {
        if (type == ".texref" || type == ".samplerref" || type == ".surfref") {
            return {8, ParameterClass::kUnknown, true};
        }
        int64_t bits = 0;
        std::size_t const digits = type.find_first_of("0123456789");
        if (digits == std::string_view::npos || !parseNumber(type.substr(digits), bits) ||
            bits < 8 || bits > 128 || bits % 8 != 0) {
            damaged("the type of a parameter", type);
        }
        std::string_view const family = type.substr(0, digits);
        ParameterClass const holds = family == ".f"                     ? ParameterClass::kReal
                                     : family == ".u" || family == ".s" ? ParameterClass::kInteger
                                                                        : ParameterClass::kUnknown;
        return {bits / 8, holds, true};
    }

    /// Skips the directives between parameters and body (such as .reqntid 128). False for a
    /// declaration, which has no body.
    bool passHead() {
        for (std::string_view word = tokens_.next(); word != "{"; word = tokens_.next()) {
            if (word.empty()) {
                damaged("the body of a kernel", "the end of the text");
            }
            if (word == ";") {
                return false;
            }
        }
        return true;
    }

    /// Which of the names occur in the body.
    std::vector<bool> readBody(std::vector<std::string_view> const& names) {
        std::vector<bool> used(names.size(), false);
        for (int32_t depth = 1; depth > 0;) {
            std::string_view const word = tokens_.next();
            if (word.empty()) {
                damaged("the end of a kernel, '}'", "the end of the text");
            }
            depth += word == "{" ? 1 : word == "}" ? -1 : 0;
            if (auto const found = std::find(names.begin(), names.end(), word);
                found != names.end()) {
                used[static_cast<std::size_t>(found - names.begin())] = true;
            }
        }
        return used;
    }

    static constexpr int64_t kMostBytes = 1 << 20; // far above the limit of GPUs

    PtxTokens tokens_;
    CodeInfo info_;
};

} // namespace

CodeInfo inspectPtx(std::string_view text) {
    return Parser(text).run();
}

} // namespace kiln::plugin
