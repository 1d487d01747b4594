#pragma once

#include <memory>
#include <utility>

namespace coppice::engine {

// A unique_ptr that propagates const: a const task has const contents.
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
  // Creates the object if there is none.
  T& Get() {
    if (!object_) object_ = std::make_unique<T>();
    return *object_;
  }

 private:
  std::unique_ptr<T> object_;
};

}  // namespace coppice::engine
