// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Registers, static shared memory and launch bounds of kernels, from a cubin: an ELF file with a
// section .nv.info for all kernels, and .nv.info.NAME and .nv.shared.NAME for each. Source: output
// of readelf and of ptxas -v for the same kernels.
#include "emulation/kernel_limits.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>

#include <elf.h>

namespace kiln::emulation {
namespace {

// An attribute is {format, number, two bytes}. With kSized, the two bytes are the size of what
// follows.
constexpr unsigned char kSized = 4;
constexpr unsigned char kMostThreads = 0x05;    // three extents of a block
constexpr unsigned char kRegisters = 0x2f;      // index of a symbol, registers
constexpr unsigned char kParameterPlace = 0x0a; // section, uint16 offset, uint16 bytes
constexpr unsigned char kNewAbi = 8;
constexpr unsigned kReservedShared = 1024; // of each block, counted by files of the new ABI

template <typename T>
T at(std::string_view bytes, std::size_t offset) {
    T value{};
    if (offset <= bytes.size() && sizeof(T) <= bytes.size() - offset) {
        std::memcpy(&value, bytes.data() + offset, sizeof(T));
    }
    return value;
}

struct Section {
    std::string name;
    Elf64_Shdr header;
    std::string_view bytes;
};

std::vector<Section> sectionsOf(std::string_view file) {
    auto const start = at<Elf64_Ehdr>(file, 0);
    std::vector<Section> sections;
    for (unsigned i = 0; i < start.e_shnum; ++i) {
        auto const header = at<Elf64_Shdr>(file, start.e_shoff + i * sizeof(Elf64_Shdr));
        bool const has = header.sh_type != SHT_NOBITS && header.sh_offset <= file.size();
        sections.push_back(
            {"", header, has ? file.substr(header.sh_offset, header.sh_size) : file.substr(0, 0)});
    }
    for (Section& section : sections) {
        section.name = sections[start.e_shstrndx].bytes.data() + section.header.sh_name;
    }
    return sections;
}

/// Calls put(number, value) for each attribute of a section.
template <typename Put>
void eachAttribute(std::string_view info, Put const& put) {
    for (std::size_t i = 0; i + 4 <= info.size();) {
        auto const format = at<unsigned char>(info, i);
        auto const number = at<unsigned char>(info, i + 1);
        std::size_t const size = format == kSized ? at<uint16_t>(info, i + 2) : 0;
        put(number, info.substr(i + 4, size));
        i += 4 + size;
    }
}

} // namespace

std::vector<KernelLimits> limitsOfCubin(std::string_view cubin) {
    constexpr std::string_view kInfo = ".nv.info";
    constexpr std::string_view kShared = ".nv.shared.";
    std::vector<Section> const sections = sectionsOf(cubin);
    bool const reserves = at<Elf64_Ehdr>(cubin, 0).e_ident[EI_ABIVERSION] >= kNewAbi;
    std::map<std::string, KernelLimits> kernels;
    std::vector<std::string> symbols;
    for (Section const& section : sections) {
        for (std::size_t i = 0; section.header.sh_type == SHT_SYMTAB && i < section.bytes.size();
             i += sizeof(Elf64_Sym)) {
            symbols.emplace_back(sections[section.header.sh_link].bytes.data() +
                                 at<Elf64_Sym>(section.bytes, i).st_name);
        }
        if (section.name.size() > kInfo.size() && section.name.rfind(kInfo, 0) == 0) {
            KernelLimits& kernel = kernels[section.name.substr(kInfo.size() + 1)];
            eachAttribute(section.bytes, [&](unsigned char number, std::string_view value) {
                if (number == kMostThreads) {
                    kernel.threads =
                        at<uint32_t>(value, 0) * at<uint32_t>(value, 4) * at<uint32_t>(value, 8);
                } else if (number == kParameterPlace) {
                    kernel.parameterBytes = at<uint16_t>(value, 6);
                }
            });
        }
    }
    for (Section const& section : sections) {
        if (section.name == kInfo) {
            eachAttribute(section.bytes, [&](unsigned char number, std::string_view value) {
                auto const symbol = at<uint32_t>(value, 0);
                if (number == kRegisters && symbol < symbols.size() &&
                    kernels.count(symbols[symbol]) != 0) {
                    kernels[symbols[symbol]].registers = at<uint32_t>(value, 4);
                }
            });
        } else if (section.name.rfind(kShared, 0) == 0 &&
                   kernels.count(section.name.substr(kShared.size())) != 0) {
            kernels[section.name.substr(kShared.size())].sharedBytes =
                static_cast<unsigned>(section.header.sh_size) - (reserves ? kReservedShared : 0);
        }
    }
    std::vector<KernelLimits> all;
    for (auto& [name, limits] : kernels) {
        limits.name = name;
        all.push_back(limits);
    }
    return all;
}

std::string textOf(std::vector<KernelLimits> const& limits) {
    std::ostringstream text;
    for (KernelLimits const& of : limits) {
        text << of.name << ' ' << of.registers << ' ' << of.sharedBytes << ' ' << of.threads << ' '
             << of.parameterBytes << '\n';
    }
    return text.str();
}

std::vector<KernelLimits> limitsOfText(std::string_view text) {
    std::istringstream lines{std::string(text)};
    std::vector<KernelLimits> all;
    for (KernelLimits of;
         lines >> of.name >> of.registers >> of.sharedBytes >> of.threads >> of.parameterBytes;) {
        all.push_back(of);
    }
    return all;
}

unsigned threadsFor(unsigned registers) {
    // Warps get registers in units of 256, and a quarter of a multiprocessor's 65536 serves a
    // quarter of the warps. Source: the occupancy calculator's table of compute capability 9.0.
    unsigned const ofWarp = (registers * 32 + 255) / 256 * 256;
    return ofWarp == 0 ? 1024 : 16384 / ofWarp * 4 * 32;
}

} // namespace kiln::emulation
