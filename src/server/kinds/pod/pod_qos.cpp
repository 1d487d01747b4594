#include "base/quantity.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/pod/pod_spec.h"

namespace coppice::server {
namespace {

bool AreEqual(const json::Value& a, const json::Value& b) {
  const auto left = base::Quantity::Parse(a.AsString());
  const auto right = base::Quantity::Parse(b.AsString());
  return left && right && *left == *right;
}

}  // namespace

std::string_view QosClassOf(const json::Value& spec) {
  bool any = false, guaranteed = true;
  const auto consider = [&](const json::Value& resources) {
    for (const char* name : {"cpu", "memory"}) {
      const json::Value& request = resources["requests"][name];
      const json::Value& limit = resources["limits"][name];
      any |= IsPositive(request) || IsPositive(limit);
      const bool equal = IsPositive(limit) && (request.IsNull() || AreEqual(request, limit));
      guaranteed &= equal;
    }
  };
  if (spec["resources"].IsObject() && !spec["resources"].empty()) {
    consider(spec["resources"]);
  } else {
    for (const char* list : {"containers", "initContainers"}) {
      for (const json::Value& container : spec[list].Items()) consider(container["resources"]);
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace coppice::server
