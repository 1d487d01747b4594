#pragma once

#include <string>
#include <unordered_map>

#include "api/schema/model/schema.h"
#include "json/value.h"

namespace coppice::api {

// Items of a list before an update, by identity: their keys in a map, their values in a set. Atomic
// lists have none. Refers to the old list.
class OldItems {
 public:
  // `old` may be null, or anything but a list.
  OldItems(const Schema& list, const json::Value* old);
  // The item that this one was; null when it is new.
  const json::Value* Find(const json::Value& item) const;

 private:
  const Schema& list_;
  std::unordered_map<std::string, const json::Value*> items_;
};

// The members of a map's item by which it is known.
json::Value KeysOf(const Schema& list, const json::Value& item);

}  // namespace coppice::api
