#pragma once

#include <memory>
#include <utility>

namespace ringrun {

/// A value that its copies share, and that is replaced, never changed: for what is large and the same for many.
template <typename T>
class SharedValue {
 public:
  SharedValue() : value_(none()) {}
  /// Stands for the value, as the value stands for it below.
  SharedValue(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  operator const T&() const { return *value_; }

  bool operator==(const SharedValue& other) const { return value_ == other.value_ || *value_ == *other.value_; }

 private:
  static const std::shared_ptr<const T>& none() {
    static const auto value = std::make_shared<const T>();
    return value;
  }

  std::shared_ptr<const T> value_;
};

}  // namespace ringrun
