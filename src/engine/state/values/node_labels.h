#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "engine/model/selectors.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// The labels of one node as interned names, 8 bytes each. Keys and often values are the same on
// many nodes, but hardly two nodes have the same set, so sets are not shared.
class NodeLabels {
 public:
  NodeLabels() = default;
  NodeLabels(const Labels& labels, Names& names);

  std::optional<std::string_view> Find(const Names& names, std::string_view key) const;
  friend bool operator==(const NodeLabels& a, const NodeLabels& b) {
    return std::equal(a.entries_.get(), a.entries_.get() + a.size_, b.entries_.get(),
                      b.entries_.get() + b.size_);
  }

 private:
  struct Entry {
    NameId key, value;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::unique_ptr<Entry[]> entries_;
  uint32_t size_ = 0;
};

// NodeLabels with the Names they refer to, as a LabelSource.
class NamedLabels final : public LabelSource {
 public:
  NamedLabels(const Names& names, const NodeLabels& labels) : names_(names), labels_(labels) {}
  std::optional<std::string_view> Find(const std::string& key) const override {
    return labels_.Find(names_, key);
  }

 private:
  const Names& names_;
  const NodeLabels& labels_;
};

}  // namespace coppice::engine
