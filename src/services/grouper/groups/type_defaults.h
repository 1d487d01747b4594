#pragma once

#include <map>
#include <string>
#include <string_view>

namespace coppice::services::grouper {

// Priority class and preemptibility by workload kind, from the administrator's ConfigMap.
class TypeDefaults {
 public:
  struct Entry {
    std::string priority_class;
    std::string preemptibility;
  };

  TypeDefaults() = default;
  // Where the ConfigMap's data has them.
  static constexpr std::string_view kDataKey = "types";
  // From the text under that key. Invalid JSON counts as no defaults.
  static TypeDefaults Parse(std::string_view types);

  // By "Kind.group" first, then by "Kind"; null if neither exists.
  const Entry* Find(std::string_view api_version, std::string_view kind) const;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace coppice::services::grouper
