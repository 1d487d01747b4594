#include "api/schema/validate/old_items.h"

#include "json/write.h"

namespace coppice::api {
namespace {

std::string IdentityIn(const Schema& list, const json::Value& item) {
  return json::Write(list.list_type == ListType::kSet ? item : KeysOf(list, item));
}

}  // namespace

json::Value KeysOf(const Schema& list, const json::Value& item) {
  json::Value keys = json::Value::Object();
  for (const std::string& key : list.list_keys) {
    if (const json::Value* value = item.Find(key)) keys.Set(key, *value);
  }
  return keys;
}

OldItems::OldItems(const Schema& list, const json::Value* old) : list_(list) {
  if (old == nullptr || list.list_type == ListType::kAtomic) return;
  for (const json::Value& item : old->Items()) items_.emplace(IdentityIn(list, item), &item);
}

const json::Value* OldItems::Find(const json::Value& item) const {
  if (items_.empty()) return nullptr;
  const auto found = items_.find(IdentityIn(list_, item));
  return found == items_.end() ? nullptr : found->second;
}

}  // namespace coppice::api
