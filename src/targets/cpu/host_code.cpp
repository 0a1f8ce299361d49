// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/host_code.h"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "base/error.h"

namespace kiln::targets::cpu {

HostCode::HostCode(ByteView code, std::string const& name, HandOver const& ways)
    : file_(code, name, ways), handle_(openObject(file_.path(), name)) {
    file_.hide();
}

HostCode::~HostCode() {
    closeObject(handle_);
}

KilnHostKernel HostCode::entry(std::string const& name) const {
    auto const found = reinterpret_cast<KilnHostKernel>(dlsym(handle_, name.c_str()));
    if (found == nullptr) {
        fail(ErrorKind::kInvalidArgument,
             "expected the object code to have the function '{}', found none. Export it with C "
             "linkage",
             name);
    }
    return found;
}

std::shared_ptr<HostCode const> sharedHostCode(ByteView code, std::string const& name,
                                               HandOver const& ways) {
    // The bytes themselves are the key: a forged hash cannot select other code.
    using Bytes = std::vector<std::byte>;
    static std::mutex mutex;
    static std::map<Bytes, std::weak_ptr<HostCode const>> open;
    std::lock_guard const lock(mutex);
    std::erase_if(open, [](auto const& entry) { return entry.second.expired(); });
    std::weak_ptr<HostCode const>& known = open[Bytes(code.begin(), code.end())];
    std::shared_ptr<HostCode const> shared = known.lock();
    if (shared == nullptr) {
        shared = std::make_shared<HostCode>(code, name, ways);
        known = shared;
    }
    return shared;
}

} // namespace kiln::targets::cpu
