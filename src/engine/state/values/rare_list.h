#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace coppice::engine {

// A list that is mostly empty; an empty one costs one pointer.
template <typename T>
class RareList {
 public:
  RareList() = default;
  RareList(const RareList& other) { *this = other; }
  RareList(RareList&&) noexcept = default;
  RareList& operator=(const RareList& other) {
    items_ = other.empty() ? nullptr : std::make_unique<std::vector<T>>(*other.items_);
    return *this;
  }
  RareList& operator=(RareList&&) noexcept = default;
  RareList& operator=(std::vector<T> items) {
    items_ = items.empty() ? nullptr : std::make_unique<std::vector<T>>(std::move(items));
    return *this;
  }

  bool empty() const { return !items_ || items_->empty(); }
  T* begin() { return items_ ? items_->data() : nullptr; }
  T* end() { return items_ ? items_->data() + items_->size() : nullptr; }
  const T* begin() const { return items_ ? items_->data() : nullptr; }
  const T* end() const { return items_ ? items_->data() + items_->size() : nullptr; }
  T& Add(T item) {
    if (!items_) items_ = std::make_unique<std::vector<T>>();
    return items_->emplace_back(std::move(item));
  }
  void clear() { items_.reset(); }

 private:
  std::unique_ptr<std::vector<T>> items_;
};

}  // namespace coppice::engine
