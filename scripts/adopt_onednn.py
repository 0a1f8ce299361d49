# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes Kiln's copy of oneDNN's library: adopt_onednn.py <libdnnl.so> <libkdnnl.so>.

The copy has the same machine code. Only names in its dynamic section differ, each replaced in its
place by one that is not longer:

- It needs libkomp.so instead of libgomp.so.1, and the OpenMP functions that it calls have names
  that no other library has. So its parallel regions run on Kiln's threads, and neither Torch's
  OpenMP nor Kiln's is seen by the other.
- It calls functions of libkomp.so to allocate and free memory, which have a reserve for runs.
- It is named libkdnnl.so, and looks up its own functions in itself first. So it does not mix with
  another copy of oneDNN in the process, such as the one inside Torch.

Needs nothing but Python: no tool that rewrites ELF files is part of a usual build environment.
"""

import struct
import sys
from pathlib import Path

FUNCTIONS = {
    "GOMP_barrier": "komp_barrier",
    "GOMP_loop_end_nowait": "komp_loop_end_nowait",
    "GOMP_loop_static_next": "komp_loop_static_next",
    "GOMP_loop_static_start": "komp_loop_static_start",
    "GOMP_parallel_end": "komp_parallel_end",
    "GOMP_parallel_start": "komp_parallel_start",
    "omp_get_max_threads": "komp_max_threads",
    "omp_get_num_threads": "komp_num_threads",
    "omp_get_thread_num": "komp_thread_num",
    "omp_in_parallel": "komp_inside",
}
# Shorter names than "komp_..." where there is no room.
MEMORY = {
    "_ZdlPv": "kdelpv",
    "_Znwm": "knewm",
    "free": "kfre",
    "posix_memalign": "komp_memalign",
}
LIBRARIES = {"libgomp.so.1": "libkomp.so", "libdnnl.so.3": "libkdnnl.so"}

PT_LOAD, PT_DYNAMIC = 1, 2
DT_NEEDED, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT = 1, 5, 6, 10, 11
DT_SONAME, DT_SYMBOLIC, DT_BIND_NOW, DT_FLAGS_1 = 14, 16, 24, 0x6FFFFFFB
DF_1_NOW = 1
SYMBOL = struct.Struct("<IBBHQQ")


class Unfit(Exception):
    """The library is not one that this script can adopt."""


class Elf:
    """The dynamic section of a 64-bit little-endian shared library."""

    def __init__(self, data: bytearray):
        self.data = data
        if data[:6] != b"\x7fELF\x02\x01":
            raise Unfit("expected a 64-bit little-endian ELF file")
        (start,) = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        headers = [struct.unpack_from("<IIQQQQQQ", data, start + i * size) for i in range(count)]
        self.loads = [(h[3], h[2], h[5]) for h in headers if h[0] == PT_LOAD]
        dynamic = [h for h in headers if h[0] == PT_DYNAMIC]
        if len(dynamic) != 1:
            raise Unfit("expected a shared library")
        self.dynamic = dynamic[0][2]
        self.entries = []
        for at in range(self.dynamic, self.dynamic + dynamic[0][5], 16):
            tag, value = struct.unpack_from("<qQ", data, at)
            if tag == 0:
                break
            self.entries.append((at, tag, value))
        self.names = self.offset(self.value(DT_STRTAB))
        self.names_end = self.names + self.value(DT_STRSZ)

    def value(self, tag: int) -> int:
        """The value of the entry with this tag."""
        found = [value for _, own, value in self.entries if own == tag]
        if not found:
            raise Unfit(f"expected dynamic entry {tag}")
        return found[0]

    def offset(self, address: int) -> int:
        """Where an address lies in the file."""
        for start, offset, size in self.loads:
            if start <= address < start + size:
                return address - start + offset
        raise Unfit(f"address {address:#x} is not in the file")

    def name_at(self, index: int) -> str:
        """A name in the table of names."""
        end = self.data.index(b"\0", self.names + index)
        return self.data[self.names + index : end].decode()

    def rename(self, old: str, new: str) -> None:
        """Replaces a name in the table of names, for all that refer to it."""
        assert len(new) <= len(old)
        whole = b"\0" + old.encode() + b"\0"
        at = self.data.find(whole, self.names - 1, self.names_end)
        if at < 0:
            raise Unfit(f"expected the name {old}")
        self.data[at : at + len(whole)] = b"\0" + new.encode().ljust(len(old) + 1, b"\0")

    def undefined(self) -> list[str]:
        """The functions that the library takes from others."""
        at = self.offset(self.value(DT_SYMTAB))
        names = []
        # The table of names follows the table of symbols.
        while at + SYMBOL.size <= self.names:
            index, _, _, section, _, _ = SYMBOL.unpack_from(self.data, at)
            if section == 0 and index:
                names.append(self.name_at(index))
            at += SYMBOL.size
        return names


def adopt(data: bytearray) -> None:
    """Changes the library in memory."""
    elf = Elf(data)
    names = {tag: [elf.name_at(v) for _, own, v in elf.entries if own == tag] for tag in (1, 14)}
    if "libgomp.so.1" not in names[DT_NEEDED] or names[DT_SONAME] != ["libdnnl.so.3"]:
        raise Unfit(
            "expected libdnnl.so.3 that needs libgomp.so.1, got "
            f"{names[DT_SONAME]} that needs {', '.join(names[DT_NEEDED])}"
        )
    wanted = [n for n in elf.undefined() if n.startswith(("GOMP_", "omp_", "GOACC", "__kmp"))]
    unknown = sorted(set(wanted) - FUNCTIONS.keys())
    if unknown:
        raise Unfit(f"it calls OpenMP functions that Kiln does not provide: {', '.join(unknown)}")
    for old in wanted:
        elf.rename(old, FUNCTIONS[old])
    for old, new in (MEMORY | LIBRARIES).items():
        elf.rename(old, new)
    now = [at for at, tag, _ in elf.entries if tag == DT_BIND_NOW]
    if not now or not elf.value(DT_FLAGS_1) & DF_1_NOW:
        raise Unfit("expected a library that is bound when it is loaded, and says so twice")
    # One of the two places says "look up my own names first" instead.
    struct.pack_into("<qQ", data, now[0], DT_SYMBOLIC, 0)


def main() -> int:
    """Writes the copy, or says why the library does not fit."""
    source, target = map(Path, sys.argv[1:])
    data = bytearray(source.read_bytes())
    try:
        adopt(data)
    except Unfit as error:
        print(f"[onednn] {source}: {error}.", file=sys.stderr)
        return 1
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
