#include "worker/backend/nccl/nccl_calls.hpp"

#include <string>

#include "lib/nccl/check.hpp"
#include "worker/backend/nccl/nccl_element.hpp"
#include "worker/exit_code.hpp"

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
// Null where an older library is loaded than the worker was built with.
extern "C" __attribute__((weak)) ncclResult_t ncclAlltoAll(const void*, void*, size_t, ncclDataType_t, ncclComm_t,
                                                           cudaStream_t);
extern "C" __attribute__((weak)) ncclResult_t ncclGather(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t,
                                                         cudaStream_t);
extern "C" __attribute__((weak)) ncclResult_t ncclScatter(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t,
                                                          cudaStream_t);
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 22, 0)
extern "C" __attribute__((weak)) ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t*);
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
extern "C" __attribute__((weak)) ncclResult_t ncclCommWindowRegister(ncclComm_t, void*, size_t, ncclWindow_t*, int);
extern "C" __attribute__((weak)) ncclResult_t ncclCommWindowDeregister(ncclComm_t, ncclWindow_t);
#endif

namespace ringrun::worker {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw Unsupported(std::string(what) + ": this NCCL, or the one that the worker was built with, has none",
                    "build and run with a newer libnccl2, or leave the option out");
}

/// Sends and receives that run side by side.
class Exchange {
 public:
  Exchange(const Operation& operation, const NcclCall& call)
      : call_(call), type_(nccl_type(operation.type)), size_(size_of(operation.type)) {
    check_nccl(ncclGroupStart(), "ncclGroupStart");
  }

  /// What has no elements is left out on both sides.
  void send(std::size_t offset, std::size_t count, int peer) const {
    if (count == 0) return;
    const auto* input = static_cast<const std::byte*>(call_.input) + offset * size_;
    check_nccl(ncclSend(input, count, type_, peer, call_.communicator, call_.stream), "ncclSend");
  }

  void receive(std::size_t offset, std::size_t count, int peer) const {
    if (count == 0) return;
    auto* output = static_cast<std::byte*>(call_.output) + offset * size_;
    check_nccl(ncclRecv(output, count, type_, peer, call_.communicator, call_.stream), "ncclRecv");
  }

  void end() const { check_nccl(ncclGroupEnd(), "ncclGroupEnd"); }

 private:
  const NcclCall& call_;
  ncclDataType_t type_;
  std::size_t size_;
};

void all_to_all(const Operation& operation, const NcclCall& call) {
  const std::size_t count = operation.layout.count;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
  if (ncclAlltoAll != nullptr) {
    return check_nccl(
        ncclAlltoAll(call.input, call.output, count, nccl_type(operation.type), call.communicator, call.stream),
        "ncclAlltoAll");
  }
#endif
  const Exchange exchange(operation, call);
  for (int peer = 0; peer < operation.ranks; ++peer) {
    exchange.send(static_cast<std::size_t>(peer) * count, count, peer);
    exchange.receive(static_cast<std::size_t>(peer) * count, count, peer);
  }
  exchange.end();
}

void uneven_all_to_all(const Operation& operation, const NcclCall& call) {
  const Parts parts = uneven_parts(operation, call.rank);
  const Exchange exchange(operation, call);
  for (int peer = 0; peer < operation.ranks; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    exchange.send(parts.offsets[at], parts.counts[at], peer);
    exchange.receive(parts.offsets[at], parts.counts[at], peer);
  }
  exchange.end();
}

void gather(const Operation& operation, const NcclCall& call) {
  const std::size_t count = operation.layout.count;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
  if (ncclGather != nullptr) {
    return check_nccl(ncclGather(call.input, call.output, count, nccl_type(operation.type), operation.root,
                                 call.communicator, call.stream),
                      "ncclGather");
  }
#endif
  const Exchange exchange(operation, call);
  exchange.send(0, count, operation.root);
  for (int peer = 0; peer < operation.ranks && call.rank == operation.root; ++peer)
    exchange.receive(static_cast<std::size_t>(peer) * count, count, peer);
  exchange.end();
}

void scatter(const Operation& operation, const NcclCall& call) {
  const std::size_t count = operation.layout.count;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
  if (ncclScatter != nullptr) {
    return check_nccl(ncclScatter(call.input, call.output, count, nccl_type(operation.type), operation.root,
                                  call.communicator, call.stream),
                      "ncclScatter");
  }
#endif
  const Exchange exchange(operation, call);
  for (int peer = 0; peer < operation.ranks && call.rank == operation.root; ++peer)
    exchange.send(static_cast<std::size_t>(peer) * count, count, peer);
  exchange.receive(0, count, operation.root);
  exchange.end();
}

}  // namespace

void enqueue_call(const Operation& operation, const NcclCall& call) {
  const std::size_t count = operation.layout.count;
  if (count == 0) return;
  const ncclDataType_t type = nccl_type(operation.type);
  switch (operation.kind) {
    case CollectiveKind::kAllReduce:
      return check_nccl(ncclAllReduce(call.input, call.output, count, type, call.op, call.communicator, call.stream),
                        "ncclAllReduce");
    case CollectiveKind::kAllGather:
      return check_nccl(ncclAllGather(call.input, call.output, count, type, call.communicator, call.stream),
                        "ncclAllGather");
    case CollectiveKind::kReduceScatter:
      return check_nccl(
          ncclReduceScatter(call.input, call.output, count, type, call.op, call.communicator, call.stream),
          "ncclReduceScatter");
    case CollectiveKind::kBroadcast:
      return check_nccl(
          ncclBroadcast(call.input, call.output, count, type, operation.root, call.communicator, call.stream),
          "ncclBroadcast");
    case CollectiveKind::kReduce:
      return check_nccl(
          ncclReduce(call.input, call.output, count, type, call.op, operation.root, call.communicator, call.stream),
          "ncclReduce");
    case CollectiveKind::kAllToAll:
      return all_to_all(operation, call);
    case CollectiveKind::kAllToAllV:
      return uneven_all_to_all(operation, call);
    case CollectiveKind::kGather:
      return gather(operation, call);
    case CollectiveKind::kScatter:
      return scatter(operation, call);
    case CollectiveKind::kSendReceive: {
      const Exchange exchange(operation, call);
      exchange.send(0, count, (call.rank + 1) % operation.ranks);
      exchange.receive(0, count, (call.rank + operation.ranks - 1) % operation.ranks);
      return exchange.end();
    }
    case CollectiveKind::kHypercube:
      break;
  }
}

void enqueue_own_part(const Operation& operation, const NcclCall& call) {
  if (operation.in_place) return;
  const std::size_t part = operation.layout.count * size_of(operation.type);
  auto* own = static_cast<std::byte*>(call.output) + static_cast<std::size_t>(call.rank) * part;
  check_cuda(cudaMemcpyAsync(own, call.input, part, cudaMemcpyDeviceToDevice, call.stream), "cudaMemcpyAsync");
}

void enqueue_edge(const Operation& operation, const NcclCall& call, int edge) {
  // Sends what it has gathered so far, which stands in its output.
  const NcclCall step{call.output, call.output, call.op, call.rank, call.communicator, call.stream};
  const std::size_t count = operation.layout.count;
  const int mine = call.rank & ~(edge - 1);
  const Exchange exchange(operation, step);
  exchange.send(static_cast<std::size_t>(mine) * count, count * static_cast<std::size_t>(edge), call.rank ^ edge);
  exchange.receive(static_cast<std::size_t>(mine ^ edge) * count, count * static_cast<std::size_t>(edge),
                   call.rank ^ edge);
  exchange.end();
}

ncclConfig_t config_with_policy(int cta_policy) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  if (cta_policy == 0) return config;
#ifdef NCCL_CTA_POLICY_DEFAULT
  config.CTAPolicy = cta_policy;
  return config;
#else
  refuse("CTA policies");
#endif
}

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 22, 0)
bool can_simulate() { return ncclGroupSimulateEnd != nullptr; }

double end_simulated_group() {
  ncclSimInfo_t simulated = NCCL_SIM_INFO_INITIALIZER;
  check_nccl(ncclGroupSimulateEnd(&simulated), "ncclGroupSimulateEnd");
  return simulated.estimatedTime > 0 ? static_cast<double>(simulated.estimatedTime) * 1e-6 : 0;
}
#else
bool can_simulate() { return false; }
double end_simulated_group() { refuse("simulated groups"); }
#endif

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
void register_window(ncclComm_t communicator, void* buffer, std::size_t bytes, void** handle) {
  if (ncclCommWindowRegister == nullptr) refuse("symmetric windows");
  // The window's type is a pointer to something that only NCCL knows.
  check_nccl(ncclCommWindowRegister(communicator, buffer, bytes, reinterpret_cast<ncclWindow_t*>(handle),
                                    NCCL_WIN_COLL_SYMMETRIC),
             "ncclCommWindowRegister");
}

void deregister_window(ncclComm_t communicator, void* handle) {
  // NCCL gives none where the ranks have no memory in common.
  if (handle == nullptr) return;
  check_nccl(ncclCommWindowDeregister(communicator, static_cast<ncclWindow_t>(handle)), "ncclCommWindowDeregister");
}
#else
void register_window(ncclComm_t, void*, std::size_t, void**) { refuse("symmetric windows"); }
void deregister_window(ncclComm_t, void*) { refuse("symmetric windows"); }
#endif

}  // namespace ringrun::worker
