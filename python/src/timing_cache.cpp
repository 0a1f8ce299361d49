// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "failure.h"

namespace kiln::python {
namespace {

using nvinfer1::ITimingCache;
using nvinfer1::TimingCacheKey;
using nvinfer1::TimingCacheValue;

std::string toText(TimingCacheKey const& key) {
    std::string text = "0x";
    for (uint8_t const byte : key.data) {
        text += fmt::format("{:02x}", byte);
    }
    return text;
}

int digitOf(char c) {
    std::string_view constexpr kDigits = "0123456789abcdef";
    char const lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    auto const found = kDigits.find(lower);
    return found == std::string_view::npos ? -1 : static_cast<int>(found);
}

TimingCacheKey fromText(std::string const& text) {
    constexpr std::size_t kBytes = sizeof(TimingCacheKey::data);
    std::string const digits = text.starts_with("0x") ? text.substr(2) : text;
    TimingCacheKey key{};
    bool valid = digits.size() == 2 * kBytes;
    for (std::size_t i = 0; valid && i < kBytes; ++i) {
        int const high = digitOf(digits[2 * i]);
        int const low = digitOf(digits[2 * i + 1]);
        valid = high >= 0 && low >= 0;
        key.data[i] = static_cast<uint8_t>(high * 16 + low);
    }
    if (!valid) {
        throw py::value_error(
            fmt::format("[TimingCacheKey] expected 0x and {} hexadecimal digits, as str() of a key "
                        "gives, got '{}'",
                        2 * kBytes, text));
    }
    return key;
}

std::vector<TimingCacheKey> keysOf(ITimingCache const& self) {
    forgetError();
    int64_t const count = self.queryKeys(nullptr, 0);
    if (count < 0) {
        throw std::runtime_error(reportedError("[timing cache] the keys could not be read"));
    }
    std::vector<TimingCacheKey> keys(static_cast<std::size_t>(count));
    int64_t const now = self.queryKeys(keys.data(), count);
    keys.resize(static_cast<std::size_t>(std::clamp<int64_t>(now, 0, count)));
    return keys;
}

} // namespace

void initTimingCache(py::module_& m) {
    py::class_<TimingCacheKey>(m, "TimingCacheKey", "The key of a timing cache entry.")
        .def_static("parse", &fromText, "text"_a, "The key whose str() is ``text``.")
        .def("__str__", &toText)
        .def("__eq__", [](TimingCacheKey const& a,
                          TimingCacheKey const& b) { return toText(a) == toText(b); })
        .def("__hash__", [](TimingCacheKey const& key) { return py::hash(py::str(toText(key))); });
    py::class_<TimingCacheValue> value(m, "TimingCacheValue", "An entry of a timing cache.");
    value
        .def(py::init([](uint64_t tacticHash, float timingMSec) {
                 return TimingCacheValue{tacticHash, timingMSec};
             }),
             py::arg(), py::arg(), "The hash of a tactic, and its time in milliseconds.")
        .def_readwrite("tacticHash", &TimingCacheValue::tacticHash, "int: identifies the tactic.")
        .def_readwrite("timingMSec", &TimingCacheValue::timingMSec, "float: its milliseconds.");
    value.attr("INVALID_TACTIC_HASH") = py::int_(TimingCacheValue::kINVALID_TACTIC_HASH);

    py::class_<ITimingCache>(m, "ITimingCache",
                             "The times of candidates, for use by later builds. Made by "
                             "IBuilderConfig.create_timing_cache.")
        .def("serialize", &ITimingCache::serialize, "The contents as IHostMemory.")
        .def("combine", &ITimingCache::combine, "input_cache"_a, "ignore_mismatch"_a,
             "Adds the entries of another cache; returns success.\n\n"
             "ignore_mismatch: bool, whether to accept a cache of another device.")
        .def("reset", &ITimingCache::reset, "Removes all entries; returns success.")
        .def("queryKeys", &keysOf,
             "The keys of all entries, a list of TimingCacheKey. The cache must come from a "
             "configuration with BuilderFlag.EDITABLE_TIMING_CACHE.")
        .def("query", &ITimingCache::query, "key"_a,
             "The TimingCacheValue of a key; its hash is INVALID_TACTIC_HASH if there is none.")
        .def("update", &ITimingCache::update, "key"_a, "value"_a,
             "Replaces the value of a key that the cache has; returns success.");
}

} // namespace kiln::python
