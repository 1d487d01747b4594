#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice::server {

using Verbs = std::vector<std::string>;

// What lies below an object and has a path of its own: pods/binding.
struct Subresource {
  std::string name;
  Verbs verbs;  // In discovery's order; no other verb reaches it.
  // What it takes and gives, in discovery; "" for the object it lies below.
  std::string group;
  std::string version;
  std::string kind;
  bool on_node = false;   // Only a running kubelet could answer.
  bool subpaths = false;  // Any path may follow: pods/NAME/proxy/metrics.
};

// The one table of subresources: discovery prints it, routing and the in-process client obey it.
// Null for a name that is not in it. Thread-safe.
const Subresource* FindSubresource(std::string_view name);

// What a resource serves unless it says otherwise.
const Verbs& AllVerbs();

bool HasVerb(const Verbs& verbs, std::string_view verb);

}  // namespace coppice::server
