// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Layout: uint32 count, then for each architecture: its text, uint32 length, cubin or PTX.
#include "targets/cuda/code_archive.h"

namespace kiln::targets::cuda {

Bytes compileFor(SourceText const& source, std::span<std::string const> architectures) {
    ByteWriter writer;
    writer.put(static_cast<uint32_t>(architectures.size()));
    for (std::string const& architecture : architectures) {
        Bytes const cubin = compileSource(source, architecture);
        writer.putText(architecture);
        writer.putText({reinterpret_cast<char const*>(cubin.data()), cubin.size()});
    }
    return writer.take();
}

Bytes compileForHopper(SourceText const& source, std::span<std::string const> architectures) {
    for (std::string const& architecture : architectures) {
        if (architecture != "sm_90" && architecture != "sm_90a") {
            fail(ErrorKind::kUnsupported, "expected GPUs of compute capability 9.0, got {}",
                 architecture);
        }
    }
    std::string const own[] = {"sm_90a"};
    return compileFor(source, own);
}

CodeImage codeFor(GpuArchitecture const& gpu, ByteView code) {
    ByteReader reader(code, "code of a kernel");
    auto const count = reader.get<uint32_t>();
    CodeImage best;
    bool bestIsPtx = false;
    std::string known;
    for (uint32_t i = 0; i < count; ++i) {
        std::string const name = reader.getText();
        ByteView const bytes = reader.take(reader.get<uint32_t>());
        known += (known.empty() ? "" : ", ") + name;
        if (!runsCode(gpu, name)) {
            continue;
        }
        GpuArchitecture const architecture = *parseGpuArchitecture(name);
        bool const isPtx = namesPtx(name);
        if (best.bytes.empty() || (bestIsPtx && !isPtx) ||
            (bestIsPtx == isPtx && architecture > best.architecture)) {
            best = {bytes, architecture};
            bestIsPtx = isPtx;
        }
    }
    reader.finish();
    if (best.bytes.empty()) {
        fail(ErrorKind::kUnsupported,
             "[cuda] expected code for {}, got code for {}. Build the plan for this GPU.",
             gpu.text(), known);
    }
    return best;
}

} // namespace kiln::targets::cuda
