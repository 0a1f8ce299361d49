// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/values.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "failure.h"

namespace kiln::trtexec {
namespace {

template <typename Number>
bool readWhole(std::string_view text, Number& number) {
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

using nvinfer1::MemoryPoolType;

constexpr std::array kPools{
    Word{"workspace", MemoryPoolType::kWORKSPACE},
    Word{"tacticSharedMem", MemoryPoolType::kTACTIC_SHARED_MEMORY},
    Word{"dlaSRAM", MemoryPoolType::kDLA_MANAGED_SRAM},
    Word{"dlaLocalDRAM", MemoryPoolType::kDLA_LOCAL_DRAM},
    Word{"dlaGlobalDRAM", MemoryPoolType::kDLA_GLOBAL_DRAM},
};

/// Parses "64M"; returns bytes.
size_t parseSize(std::string_view option, std::string_view text) {
    std::string_view number = text;
    double unit = 1024.0 * 1024.0;
    if (!number.empty() && number.find_last_not_of("0123456789.") == number.size() - 1) {
        switch (number.back()) {
        case 'B': unit = 1; break;
        case 'K': unit = 1024.0; break;
        case 'M': break;
        case 'G': unit = 1024.0 * 1024.0 * 1024.0; break;
        default: fail("[options] {}: expected a suffix B, K, M or G, got '{}'", option, text);
        }
        number.remove_suffix(1);
    }
    double const bytes = parseAmount(option, number) * unit;
    if (bytes > static_cast<double>(std::numeric_limits<int64_t>::max() / 2)) {
        fail("[options] {}: '{}' is more than any machine has", option, text);
    }
    return static_cast<size_t>(bytes);
}

} // namespace

int64_t parseCount(std::string_view option, std::string_view text, int64_t least) {
    int64_t count = 0;
    if (!readWhole(text, count) || count < least) {
        fail("[options] {}: expected an integer of at least {}, got '{}'", option, least, text);
    }
    return count;
}

int64_t parseCountUpTo(std::string_view option, std::string_view text, int64_t least,
                       int64_t most) {
    int64_t count = 0;
    if (!readWhole(text, count) || count < least || count > most) {
        fail("[options] {}: expected an integer from {} to {}, got '{}'", option, least, most,
             text);
    }
    return count;
}

double parseAmount(std::string_view option, std::string_view text) {
    double amount = 0;
    if (!readWhole(text, amount) || !std::isfinite(amount) || amount < 0) {
        fail("[options] {}: expected a number that is not negative, got '{}'", option, text);
    }
    return amount;
}

std::vector<double> parsePercentiles(std::string_view option, std::string_view text) {
    std::vector<double> percentiles;
    while (true) {
        size_t const comma = text.find(',');
        double const value = parseAmount(option, text.substr(0, comma));
        if (value > 100) {
            fail("[options] {}: expected percentiles from 0 to 100, got {}", option, value);
        }
        percentiles.push_back(value);
        if (comma == std::string_view::npos) {
            return percentiles;
        }
        text.remove_prefix(comma + 1);
    }
}

WeightBudget parseWeightBudget(std::string_view option, std::string_view text) {
    using Kind = WeightBudget::Kind;
    if (text == "-2" || text == "-1") {
        return {text == "-2" ? Kind::kAll : Kind::kAutomatic};
    }
    constexpr std::string_view kUnits = "BKMG";
    std::string_view number = text;
    bool const percent = !text.empty() && text.back() == '%';
    std::size_t const unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
    if (percent || unit != std::string_view::npos) {
        number.remove_suffix(1);
    }
    double amount = 0;
    if (!readWhole(number, amount) || !std::isfinite(amount) || amount < 0 ||
        amount > (percent ? 100 : 1e15)) {
        fail("[options] {}: expected -2 (all weights on the device), -1 (automatic), 0% to 100%, "
             "or bytes as in 0, 512M or 4G, got '{}'",
             option, text);
    }
    double const factor = percent || unit == std::string_view::npos
                              ? 1.0
                              : std::ldexp(1.0, static_cast<int>(10 * unit));
    return {percent ? Kind::kPercent : Kind::kBytes, amount * factor};
}

void parseMemoryPools(std::string_view option, std::string_view text,
                      std::map<nvinfer1::MemoryPoolType, size_t>& pools) {
    for (std::string const& word : parseNames(option, text)) {
        size_t const colon = word.find(':');
        std::string const name = word.substr(0, colon);
        auto const pool = wordIn(option, name, kPools);
        pools[pool] = parseSize(option, colon == std::string::npos ? "" : word.substr(colon + 1));
    }
}

} // namespace kiln::trtexec
