#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/view/view.h"
#include "base/quantity.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::services {

// Amounts by resource name, as in a Kubernetes ResourceList.
class ResourceMap {
 public:
  // A quantity that does not parse is an error.
  static base::Result<ResourceMap> Read(view::Quantities list);

  void Add(const std::string& name, const base::Quantity& amount);
  void Add(const ResourceMap& other);
  bool empty() const { return amounts_.empty(); }
  const std::map<std::string, base::Quantity>& amounts() const { return amounts_; }

  // Null when empty: an absent list and an empty one mean the same.
  json::Value ToJson() const;
  friend bool operator==(const ResourceMap&, const ResourceMap&) = default;

 private:
  std::map<std::string, base::Quantity> amounts_;
};

// A merge patch that turns the member `key` of `current` into `wanted`; adds nothing if the two are
// equivalent.
void PatchMember(const json::Value& current, std::string_view key, const json::Value& wanted,
                 json::Value& patch);
// The same for an object, including the removal of keys.
void PatchResources(const json::Value& current, std::string_view key, const ResourceMap& wanted,
                    json::Value& patch);

}  // namespace coppice::services
