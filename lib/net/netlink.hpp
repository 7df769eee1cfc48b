#pragma once

#include <linux/rtnetlink.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace ringrun {

/// Asks the kernel for all of its links (RTM_GETLINK) or addresses (RTM_GETADDR) and hands each answer on, in the
/// kernel's order. Throws SystemError.
void dump_netlink(std::uint16_t type, const std::function<void(const nlmsghdr&)>& each);

/// Hands on every attribute of a list that fills `bytes` from `first`.
void each_attribute(const rtattr* first, std::size_t bytes, const std::function<void(const rtattr&)>& each);

}  // namespace ringrun
