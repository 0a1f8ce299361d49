// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// NCCL among threads: each rank's call waits for those of all ranks, then the last one runs the
// work of all streams and does the exchange. Sends and receives are done at the end of a group.
#include "targets/cuda/nccl/nccl.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/bfloat16.h"
#include "base/half.h"
#include "emulation/emulation.h"
#include "emulation/memory.h"
#include "emulation/streams.h"

namespace kiln::emulation {

#define KILN_DECLARE(symbol, member, result, parameters) KILN_EMULATED result symbol parameters;
KILN_NCCL_FUNCTIONS(KILN_DECLARE)
#undef KILN_DECLARE

namespace {

constexpr ncclResult_t kInvalidArgument = 4;

struct Message {
    std::byte* memory;
    std::size_t bytes;
    int peer;
};

/// What one rank asked for.
struct Request {
    enum class Kind { kReduce, kGather, kBroadcast, kMessages };

    Kind kind = Kind::kMessages;
    std::byte const* from = nullptr;
    std::byte* to = nullptr; ///< null: this rank gets nothing
    std::size_t count = 0;   ///< elements of `from`
    std::size_t first = 0;   ///< element of the result that `to` begins with
    std::size_t taken = 0;   ///< elements of `to`
    ncclDataType_t type = 0;
    ncclRedOp_t reduction = 0;
    int root = 0;
    std::vector<Message> sends;
    std::vector<Message> receives;
};

std::size_t sizeOf(ncclDataType_t type) {
    switch (static_cast<NcclType>(type)) {
    case NcclType::kInt8:
    case NcclType::kUint8: return 1;
    case NcclType::kHalf:
    case NcclType::kBfloat16: return 2;
    case NcclType::kInt64: return 8;
    default: return 4;
    }
}

template <typename T, typename Wide>
void reduceAs(std::vector<Request> const& requests) {
    Request const& any = requests[0];
    for (std::size_t i = 0; i < any.count; ++i) {
        auto const at = [&](Request const& request) {
            return static_cast<Wide>(reinterpret_cast<T const*>(request.from)[i]);
        };
        Wide result = at(any);
        for (std::size_t rank = 1; rank < requests.size(); ++rank) {
            Wide const next = at(requests[rank]);
            switch (static_cast<NcclReduction>(any.reduction)) {
            case NcclReduction::kProduct: result *= next; break;
            case NcclReduction::kMax: result = std::max(result, next); break;
            case NcclReduction::kMin: result = std::min(result, next); break;
            default: result += next; break;
            }
        }
        if (static_cast<NcclReduction>(any.reduction) == NcclReduction::kAverage) {
            result /= static_cast<Wide>(requests.size());
        }
        for (Request const& request : requests) {
            if (request.to != nullptr && i >= request.first && i < request.first + request.taken) {
                reinterpret_cast<T*>(request.to)[i - request.first] = static_cast<T>(result);
            }
        }
    }
}

void reduce(std::vector<Request> const& requests) {
    switch (static_cast<NcclType>(requests[0].type)) {
    case NcclType::kInt8: return reduceAs<int8_t, int64_t>(requests);
    case NcclType::kUint8: return reduceAs<uint8_t, int64_t>(requests);
    case NcclType::kInt32: return reduceAs<int32_t, int64_t>(requests);
    case NcclType::kInt64: return reduceAs<int64_t, int64_t>(requests);
    case NcclType::kHalf: return reduceAs<Half, float>(requests);
    case NcclType::kBfloat16: return reduceAs<BFloat16, float>(requests);
    default: return reduceAs<float, double>(requests);
    }
}

/// Does what all ranks asked for.
void exchange(std::vector<Request> const& requests) {
    DeviceAccess const access;
    Request const& any = requests[0];
    std::size_t const bytes = any.count * sizeOf(any.type);
    if (any.kind == Request::Kind::kReduce) {
        reduce(requests);
        return;
    }
    for (std::size_t rank = 0; rank < requests.size(); ++rank) {
        Request const& own = requests[rank];
        if (own.kind == Request::Kind::kBroadcast) {
            std::memmove(own.to, requests[static_cast<std::size_t>(any.root)].from, bytes);
        }
        for (std::size_t peer = 0; own.kind == Request::Kind::kGather && peer < requests.size();
             ++peer) {
            std::memmove(own.to + peer * bytes, requests[peer].from, bytes);
        }
        for (Message const& message : own.receives) {
            auto const& sends = requests[static_cast<std::size_t>(message.peer)].sends;
            auto const sent = std::find_if(sends.begin(), sends.end(), [&](Message const& other) {
                return other.peer == static_cast<int>(rank) && other.bytes == message.bytes;
            });
            if (sent != sends.end()) {
                std::memmove(message.memory, sent->memory, message.bytes);
            }
        }
    }
}

/// The ranks that wait for each other.
struct Clique {
    std::mutex mutex;
    std::condition_variable all;
    std::vector<Request> requests;
    std::size_t arrived = 0;
    uint64_t rounds = 0;
};

/// Of this thread: whether a group is open, and its messages.
thread_local int openGroups = 0;
thread_local Request group;
thread_local ncclComm_t groupCommunicator = nullptr;
thread_local CUstream groupStream = nullptr;

} // namespace

} // namespace kiln::emulation

struct kiln::targets::cuda::ncclComm {
    std::shared_ptr<kiln::emulation::Clique> clique;
    int rank = 0;
};

namespace kiln::emulation {
namespace {

ncclResult_t meet(ncclComm_t communicator, Request request, CUstream handle) {
    Clique& clique = *communicator->clique;
    std::unique_lock lock(clique.mutex);
    clique.requests[static_cast<std::size_t>(communicator->rank)] = std::move(request);
    uint64_t const round = clique.rounds;
    if (++clique.arrived < clique.requests.size()) {
        clique.all.wait(lock, [&] { return clique.rounds != round; });
        return 0;
    }
    {
        Call const call("ncclGroupEnd");
        if (Stream* const stream = streamOf(handle); !call.refused() && stream != nullptr) {
            drainAll();
            enqueue(*stream, [&] { exchange(clique.requests); });
            drain(*stream);
        }
    }
    clique.arrived = 0;
    ++clique.rounds;
    clique.all.notify_all();
    return 0;
}

std::byte const* bytes(void const* memory) {
    return static_cast<std::byte const*>(memory);
}
std::byte* bytes(void* memory) {
    return static_cast<std::byte*>(memory);
}

ncclResult_t reduceTo(void const* from, void* to, std::size_t count, std::size_t first,
                      std::size_t taken, ncclDataType_t type, ncclRedOp_t reduction,
                      ncclComm_t communicator, CUstream stream) {
    Request request;
    request.kind = Request::Kind::kReduce;
    request.from = bytes(from);
    request.to = bytes(to);
    request.count = count;
    request.first = first;
    request.taken = taken;
    request.type = type;
    request.reduction = reduction;
    return meet(communicator, std::move(request), stream);
}

ncclResult_t move(Request::Kind kind, void const* from, void* to, std::size_t count,
                  ncclDataType_t type, int root, ncclComm_t communicator, CUstream stream) {
    Request request;
    request.kind = kind;
    request.from = bytes(from);
    request.to = bytes(to);
    request.count = count;
    request.type = type;
    request.root = root;
    return meet(communicator, std::move(request), stream);
}

} // namespace

// For tests: the communicators of `count` ranks, as NCCL makes them. They are never destroyed.
KILN_EMULATED ncclResult_t ncclCommInitAll(ncclComm_t* communicators, int count, int const*) {
    auto const clique = std::make_shared<Clique>();
    clique->requests.resize(static_cast<std::size_t>(count));
    for (int rank = 0; rank < count; ++rank) {
        communicators[rank] = new targets::cuda::ncclComm{clique, rank};
    }
    return 0;
}

ncclResult_t ncclGetVersion(int* version) {
    *version = 22700;
    return 0;
}

char const* ncclGetErrorString(ncclResult_t result) {
    return result == 0 ? "no error" : "invalid argument";
}

ncclResult_t ncclCommCount(ncclComm_t communicator, int* count) {
    *count = static_cast<int>(communicator->clique->requests.size());
    return 0;
}

ncclResult_t ncclCommUserRank(ncclComm_t communicator, int* rank) {
    *rank = communicator->rank;
    return 0;
}

ncclResult_t ncclAllReduce(void const* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t reduction, ncclComm_t communicator, CUstream stream) {
    return reduceTo(from, to, count, 0, count, type, reduction, communicator, stream);
}

ncclResult_t ncclReduce(void const* from, void* to, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t reduction, int root, ncclComm_t communicator, CUstream stream) {
    return reduceTo(from, communicator->rank == root ? to : nullptr, count, 0, count, type,
                    reduction, communicator, stream);
}

ncclResult_t ncclReduceScatter(void const* from, void* to, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t reduction, ncclComm_t communicator, CUstream stream) {
    std::size_t const ranks = communicator->clique->requests.size();
    return reduceTo(from, to, count * ranks, count * static_cast<std::size_t>(communicator->rank),
                    count, type, reduction, communicator, stream);
}

ncclResult_t ncclBroadcast(void const* from, void* to, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t communicator, CUstream stream) {
    return move(Request::Kind::kBroadcast, from, to, count, type, root, communicator, stream);
}

ncclResult_t ncclAllGather(void const* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t communicator, CUstream stream) {
    return move(Request::Kind::kGather, from, to, count, type, 0, communicator, stream);
}

ncclResult_t ncclSend(void const* from, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, CUstream stream) {
    group.sends.push_back({const_cast<std::byte*>(bytes(from)), count * sizeOf(type), peer});
    groupCommunicator = communicator;
    groupStream = stream;
    return openGroups > 0 ? 0 : kInvalidArgument;
}

ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, CUstream stream) {
    group.receives.push_back({bytes(to), count * sizeOf(type), peer});
    groupCommunicator = communicator;
    groupStream = stream;
    return openGroups > 0 ? 0 : kInvalidArgument;
}

ncclResult_t ncclGroupStart() {
    ++openGroups;
    return 0;
}

ncclResult_t ncclGroupEnd() {
    --openGroups;
    if (groupCommunicator == nullptr) {
        return 0;
    }
    Request request = std::move(group);
    group = {};
    return meet(std::exchange(groupCommunicator, nullptr), std::move(request), groupStream);
}

} // namespace kiln::emulation
