#pragma once

#include <memory>
#include <utility>

namespace coppice::engine {

// A unique_ptr that is as const as what holds it: who may not change a task may not change what the
// task owns.
template <typename T>
class Owned {
 public:
  Owned() = default;
  Owned(std::unique_ptr<T> object) : object_(std::move(object)) {}  // NOLINT: takes it over

  explicit operator bool() const { return object_ != nullptr; }
  T& operator*() { return *object_; }
  const T& operator*() const { return *object_; }
  T* operator->() { return object_.get(); }
  const T* operator->() const { return object_.get(); }
  // Made where there is none.
  T& Get() {
    if (!object_) object_ = std::make_unique<T>();
    return *object_;
  }

 private:
  std::unique_ptr<T> object_;
};

}  // namespace coppice::engine
