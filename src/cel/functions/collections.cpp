#include <algorithm>
#include <cmath>

#include "cel/values/value.h"

// Lists and maps that an expression makes itself.
namespace coppice::cel {
namespace {

class OwnedList final : public List {
 public:
  explicit OwnedList(std::vector<Value> items) : items_(std::move(items)) {}
  size_t size() const override { return items_.size(); }
  Value At(size_t index) const override { return items_[index]; }

 private:
  std::vector<Value> items_;
};

bool IsDigitKey(const Value& key) {
  return key.As<int64_t>() != nullptr || key.As<uint64_t>() != nullptr;
}

// Keys of one type stand together; signed and unsigned numbers are of one type.
bool KeyLess(const Value& a, const Value& b) {
  const auto rank = [](const Value& key) {
    return IsDigitKey(key) ? 0 : key.As<std::string>() != nullptr ? 1 : 2;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return Compare(a, b) == Order::kLess;
}

using Entry = std::pair<Value, Value>;

// Keeps the order of its entries, and finds them by an index.
class OwnedMap final : public Map {
 public:
  explicit OwnedMap(std::vector<Entry> entries) : entries_(std::move(entries)) {
    SortIndex();
    if (DropRepeated()) SortIndex();
  }

  size_t size() const override { return entries_.size(); }
  bool Find(const Value& key, Value& out) const override {
    // A number finds its equal, whatever its type.
    const auto* number = key.As<double>();
    if (number != nullptr) {
      const bool whole = std::trunc(*number) == *number && std::abs(*number) < 9e15;
      return whole && Find(Value(static_cast<int64_t>(*number)), out);
    }
    if (!IsMapKey(key)) return false;
    const auto found = std::ranges::lower_bound(
        index_, key, KeyLess, [this](size_t i) -> const Value& { return entries_[i].first; });
    if (found == index_.end() || KeyLess(key, entries_[*found].first)) return false;
    out = entries_[*found].second;
    return true;
  }
  Value KeyAt(size_t index) const override { return entries_[index].first; }

 private:
  void SortIndex() {
    index_.resize(entries_.size());
    for (size_t i = 0; i < index_.size(); ++i) index_[i] = i;
    std::ranges::stable_sort(index_, [this](size_t a, size_t b) {
      return KeyLess(entries_[a].first, entries_[b].first);
    });
  }

  // Of equal keys the last one counts.
  bool DropRepeated() {
    std::vector<bool> repeated(entries_.size());
    for (size_t i = 1; i < index_.size(); ++i) {
      repeated[index_[i - 1]] = !KeyLess(entries_[index_[i - 1]].first, entries_[index_[i]].first);
    }
    size_t at = 0;
    return std::erase_if(entries_, [&](const Entry&) { return repeated[at++]; }) > 0;
  }

  std::vector<Entry> entries_;
  std::vector<size_t> index_;  // Of the entries, by key.
};

}  // namespace

bool IsMapKey(const Value& value) {
  return IsDigitKey(value) || value.As<std::string>() != nullptr || value.As<bool>() != nullptr;
}

Value Value::MakeList(std::vector<Value> items) {
  return Value(ListPtr(std::make_shared<OwnedList>(std::move(items))));
}

Value Value::MakeMap(std::vector<std::pair<Value, Value>> entries) {
  return Value(MapPtr(std::make_shared<OwnedMap>(std::move(entries))));
}

}  // namespace coppice::cel
