// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/shapes.h"

#include <charconv>
#include <utility>

#include "failure.h"

namespace kiln::trtexec {
namespace {

using NamedText = std::pair<std::string, std::string>;

/// Removes one "name:value", and the comma after it, from the front of `rest`.
NamedText takePair(std::string_view option, std::string_view& rest) {
    std::string_view const whole = rest;
    std::string_view name;
    if (!rest.empty() && rest.front() == '\'') {
        size_t const close = rest.find('\'', 1);
        if (close == std::string_view::npos) {
            fail("[options] {}: expected a closing ' behind the name, got '{}'", option, whole);
        }
        name = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
        if (rest.empty() || rest.front() != ':') {
            fail("[options] {}: expected ':' behind '{}', got '{}'", option, name, rest);
        }
        rest.remove_prefix(1);
    }
    size_t const comma = rest.find(',');
    std::string_view entry = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    if (comma != std::string_view::npos && rest.empty()) {
        fail("[options] {}: expected another name:value behind the last comma", option);
    }
    if (name.data() == nullptr) {
        // The last colon: names such as "x:0" are common; values contain none.
        size_t const colon = entry.rfind(':');
        if (colon == std::string_view::npos) {
            fail("[options] {}: expected name:value, got '{}'", option, entry);
        }
        name = entry.substr(0, colon);
        entry.remove_prefix(colon + 1);
    }
    if (name.empty() || entry.empty()) {
        fail("[options] {}: expected name:value, got '{}:{}'", option, name, entry);
    }
    return {std::string(name), std::string(entry)};
}

template <typename Store>
void forEachPair(std::string_view option, std::string_view text, Store&& store) {
    if (text.empty()) {
        fail("[options] {}: expected name:value,name:value,..., got nothing", option);
    }
    while (!text.empty()) {
        NamedText pair = takePair(option, text);
        std::string const name = pair.first;
        if (!store(std::move(pair))) {
            fail("[options] {}: tensor '{}' is given twice", option, name);
        }
    }
}

Extents parseExtents(std::string_view option, std::string const& name, std::string_view text) {
    Extents extents;
    if (text == "scalar") {
        return extents;
    }
    char const* at = text.data();
    char const* const end = at + text.size();
    while (true) {
        int64_t value = 0;
        auto const [next, error] = std::from_chars(at, end, value);
        if (error != std::errc() || value < 0 || (next != end && *next != 'x')) {
            fail("[options] {}, tensor '{}': expected extents such as 1x8x8, got '{}'", option,
                 name, text);
        }
        extents.push_back(value);
        if (next == end) {
            return extents;
        }
        at = next + 1;
    }
}

Extents const* find(ShapeMap const& shapes, std::string const& name) {
    auto const found = shapes.find(name);
    return found == shapes.end() ? nullptr : &found->second;
}

ShapeRange completeRange(std::string const& name, Extents const* min, Extents const* opt,
                         Extents const* max) {
    if (opt == nullptr) {
        opt = max != nullptr ? max : min;
    }
    ShapeRange range{min != nullptr ? *min : *opt, *opt, max != nullptr ? *max : *opt};
    bool ordered = range.min.size() == range.opt.size() && range.opt.size() == range.max.size();
    for (size_t i = 0; ordered && i < range.opt.size(); ++i) {
        ordered = range.min[i] <= range.opt[i] && range.opt[i] <= range.max[i];
    }
    if (!ordered) {
        fail("[options] profile of input '{}': expected min <= opt <= max in each dimension, got "
             "min {}, opt {}, max {}",
             name, toText(range.min), toText(range.opt), toText(range.max));
    }
    return range;
}

} // namespace

ShapeMap parseShapes(std::string_view option, std::string_view text) {
    ShapeMap shapes;
    forEachPair(option, text, [&](NamedText pair) {
        Extents extents = parseExtents(option, pair.first, pair.second);
        return shapes.emplace(std::move(pair.first), std::move(extents)).second;
    });
    return shapes;
}

std::map<std::string, std::string> parseNamedFiles(std::string_view option, std::string_view text) {
    std::map<std::string, std::string> files;
    forEachPair(option, text, [&](NamedText pair) { return files.insert(std::move(pair)).second; });
    return files;
}

RangeMap completeRanges(ShapeMap const& min, ShapeMap const& opt, ShapeMap const& max,
                        ShapeMap const& shapes) {
    RangeMap ranges;
    for (ShapeMap const* given : {&min, &opt, &max}) {
        for (auto const& [name, extents] : *given) {
            if (ranges.count(name) == 0) {
                ranges[name] =
                    completeRange(name, find(min, name), find(opt, name), find(max, name));
            }
        }
    }
    for (auto const& [name, extents] : shapes) {
        ranges.try_emplace(name, ShapeRange{extents, extents, extents});
    }
    return ranges;
}

std::string toText(Extents const& extents) {
    return extents.empty() ? "scalar" : fmt::format("{}", fmt::join(extents, "x"));
}

std::string toText(nvinfer1::Dims const& dims) {
    return toText(toExtents(dims));
}

Extents toExtents(nvinfer1::Dims const& dims) {
    return dims.nbDims > 0 ? Extents(dims.d, dims.d + dims.nbDims) : Extents();
}

nvinfer1::Dims toDims(std::string_view tensor, Extents const& extents) {
    nvinfer1::Dims dims{};
    if (extents.size() > static_cast<size_t>(nvinfer1::Dims::MAX_DIMS)) {
        fail("[options] tensor '{}': expected at most {} dimensions, got {}", tensor,
             static_cast<int>(nvinfer1::Dims::MAX_DIMS), extents.size());
    }
    dims.nbDims = static_cast<int32_t>(extents.size());
    for (size_t i = 0; i < extents.size(); ++i) {
        dims.d[i] = extents[i];
    }
    return dims;
}

} // namespace kiln::trtexec
