// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/size_reader.h"

#include "runtime/host_values.h"

namespace kiln::runtime {

SizeReader::SizeReader(target::Backend& backend, plan::Document const& document,
                       SizePoints const& points)
    : backend_(backend) {
    for (std::size_t i = 0; i < document.steps.size(); ++i) {
        for (int32_t const tensor : points.writtenBy(i)) {
            slots_.emplace(tensor, slots_.size());
        }
    }
    if (!slots_.empty()) {
        event_.emplace(backend_);
        memory_ = static_cast<int64_t*>(backend_.allocateHost(slots_.size() * sizeof(int64_t)));
    }
}

SizeReader::~SizeReader() {
    if (memory_ != nullptr) {
        backend_.releaseHost(memory_);
    }
}

void SizeReader::request(int32_t tensor, DataType type, void const* from,
                         target::StreamHandle stream) {
    backend_.copy(memory_ + slots_.at(tensor), from, bytesFor(type, 1),
                  target::CopyKind::kDeviceToHost, stream);
}

int64_t SizeReader::value(int32_t tensor, DataType type) const {
    int64_t size = 0;
    readValues(type, memory_ + slots_.at(tensor), {&size, 1});
    return size;
}

void SizeReader::mark(target::StreamHandle stream) {
    backend_.record(event_->get(), stream);
}

} // namespace kiln::runtime
