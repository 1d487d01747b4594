#pragma once

#include <string>

#include "json/value.h"

namespace coppice::services::scheduler {

// Which objects belong to this scheduler's shard (spec/scheduler.md 1.3).
class Partition {
 public:
  Partition(std::string key, std::string value) : key_(std::move(key)), value_(std::move(value)) {}

  bool Contains(const json::Value& object) const {
    if (key_.empty()) return true;
    const json::Value* label = object["metadata"]["labels"].Find(key_);
    return value_.empty() ? label == nullptr : label && label->AsString() == value_;
  }

  const std::string& key() const { return key_; }
  const std::string& value() const { return value_; }

 private:
  std::string key_;
  std::string value_;
};

}  // namespace coppice::services::scheduler
