#pragma once

#include <string>

#include "api/view/meta.h"

namespace coppice::services::scheduler {

// Which objects belong to this scheduler's shard (docs/behaviour/scheduler.md S-04).
class Partition {
 public:
  Partition(std::string key, std::string value) : key_(std::move(key)), value_(std::move(value)) {}

  bool Contains(const json::Value& object) const {
    if (key_.empty()) return true;
    const auto labels = view::meta::PartialObjectMetadata(object).metadata().labels();
    return value_.empty() ? !labels.Has(key_) : labels[key_] == value_;
  }

  const std::string& key() const { return key_; }
  const std::string& value() const { return value_; }

 private:
  std::string key_;
  std::string value_;
};

}  // namespace coppice::services::scheduler
