#include "server/model/subresource.h"

#include <algorithm>

namespace coppice::server {
namespace {

const std::vector<Subresource>& SubresourceTable() {
  static const Verbs part = {"get", "patch", "update"};
  static const Verbs create = {"create"};
  static const Verbs connect = {"create", "get"};
  static const Verbs proxy = {"create", "delete", "get", "patch", "update"};
  static const std::vector<Subresource> table = {
      {"approval", part},
      {"attach", connect, "", "", "PodAttachOptions", true},
      {"binding", create, "", "", "Binding"},
      {"ephemeralcontainers", part},
      {"eviction", create, "policy", "v1", "Eviction"},
      {"exec", connect, "", "", "PodExecOptions", true},
      {"finalize", {"update"}},
      {"log", {"get"}, "", "", "", true},
      {"portforward", connect, "", "", "PodPortForwardOptions", true},
      {"proxy", proxy, "", "", "ProxyOptions", true, true},
      {"resize", part, "", "", "", true},
      {"scale", part, "autoscaling", "v1", "Scale"},
      {"status", part},
      {"token", create, "authentication.k8s.io", "v1", "TokenRequest"},
  };
  return table;
}

}  // namespace

const Subresource* FindSubresource(std::string_view name) {
  for (const Subresource& each : SubresourceTable()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

const Verbs& AllVerbs() {
  static const Verbs all = {"create", "delete", "deletecollection", "get",
                            "list",   "patch",  "update",           "watch"};
  return all;
}

bool HasVerb(const Verbs& verbs, std::string_view verb) {
  return std::ranges::find(verbs, verb) != verbs.end();
}

}  // namespace coppice::server
