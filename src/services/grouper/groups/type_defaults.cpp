#include "services/grouper/groups/type_defaults.h"

#include "api/view/kaifiles.h"
#include "base/log.h"
#include "json/parse.h"
#include "services/grouper/groups/values.h"

namespace coppice::services::grouper {

TypeDefaults TypeDefaults::Parse(std::string_view types) {
  TypeDefaults defaults;
  const base::Result<json::Value> list = json::Parse(types);
  if (!list || !list->IsArray()) {
    base::LogWarn("ignoring workload defaults that are not a JSON array");
    return defaults;
  }
  for (const json::Value& item : list->Items()) {
    const view::kaifiles::TypeDefault type(item);
    std::string key(type.typeName());
    if (!type.group().empty()) key += "." + std::string(type.group());
    defaults.entries_[key] = {std::string(type.priorityName()), Lower(type.preemptibility())};
  }
  return defaults;
}

const TypeDefaults::Entry* TypeDefaults::Find(std::string_view api_version,
                                              std::string_view kind) const {
  const std::string_view group = GroupOf(api_version);
  auto found = group.empty() ? entries_.find(kind)
                             : entries_.find(std::string(kind) + "." + std::string(group));
  if (found == entries_.end()) found = entries_.find(kind);
  return found == entries_.end() ? nullptr : &found->second;
}

}  // namespace coppice::services::grouper
