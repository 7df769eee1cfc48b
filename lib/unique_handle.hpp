#pragma once

#include <utility>

namespace ringrun {

/// Sole owner of a C handle. `Traits` has `using Handle = …;`, `static Handle null() noexcept` and
/// `static void release(Handle) noexcept`.
template <typename Traits>
class UniqueHandle {
 public:
  using Handle = typename Traits::Handle;

  UniqueHandle() noexcept = default;
  explicit UniqueHandle(Handle handle) noexcept : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(std::exchange(other.handle_, Traits::null())) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, Traits::null());
    }
    return *this;
  }
  UniqueHandle(const UniqueHandle&) = delete;
  UniqueHandle& operator=(const UniqueHandle&) = delete;
  ~UniqueHandle() { reset(); }

  Handle get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != Traits::null(); }

  /// Gives the handle up: the caller releases it.
  Handle release() noexcept { return std::exchange(handle_, Traits::null()); }

  void reset() noexcept {
    if (handle_ != Traits::null()) Traits::release(std::exchange(handle_, Traits::null()));
  }

 private:
  Handle handle_ = Traits::null();
};

}  // namespace ringrun
