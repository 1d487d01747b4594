#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice::server {

using Verbs = std::vector<std::string>;

// A subresource of an object: pods/binding.
struct Subresource {
  std::string name;
  Verbs verbs;  // In discovery's order; no other verb reaches it.
  // Its kind in discovery; "" for that of the object.
  std::string group;
  std::string version;
  std::string kind;
  bool on_node = false;   // Only a running kubelet could serve it.
  bool subpaths = false;  // Any path may follow: pods/NAME/proxy/metrics.
};

// The only table of subresources, used by discovery, routing and the in-process client. Null for a
// name that is not in it. Thread-safe.
const Subresource* FindSubresource(std::string_view name);

// What a resource serves unless it says otherwise.
const Verbs& AllVerbs();

bool HasVerb(const Verbs& verbs, std::string_view verb);

}  // namespace coppice::server
