#include "server/front/route.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/model/errors.h"

namespace coppice::server {
namespace {

// /apis//v1/pods is not the core group, and //api/v1/pods no path of the API.
bool HasApiRoot(const RequestInfo& info) {
  return info.path.starts_with(info.group.empty() ? "/api/" : "/apis/");
}

// What an object cannot be called, and what it has to be.
base::Status CheckPathNames(const RequestInfo& info) {
  const bool named = info.parts.size() > 1;
  const bool scattered = info.in_namespace && info.ns.empty();
  if (scattered && (named || info.verb == "deletecollection")) {
    return BadRequest("Namespace parameter required.");
  }
  if (!named) return {};
  const auto invalid = [&](std::string_view why) {
    return BadRequest(fmt::format("Name parameter invalid: \"{}\": {}", info.name, why));
  };
  if (info.name == "." || info.name == "..") return invalid("may not be '" + info.name + "'");
  if (info.name.find('%') != info.name.npos) return invalid("may not contain '%'");
  return {};
}

// The verbs that a path of this form could have, if the resource served them all.
const Verbs& VerbsOfForm(const ServedResource& served, const RequestInfo& info) {
  static const Verbs none, watch = {"watch"}, everywhere = {"list", "watch"},
                           collection = {"create", "deletecollection", "list", "watch"},
                           object = {"delete", "get", "patch", "update"};
  const bool named = info.parts.size() > 1;
  const bool scoped = served.resource.namespaced == info.in_namespace;
  if (!scoped && (info.in_namespace || named)) return none;
  if (info.prefix == "watch") return info.parts.size() <= 2 ? watch : none;
  if (!info.prefix.empty()) return none;
  if (named) return object;
  return scoped ? collection : everywhere;
}

// The verbs of a path; none for a path that does not exist.
Verbs VerbsOfPath(const ServedResource& served, const RequestInfo& info) {
  const Verbs& form = VerbsOfForm(served, info);
  if (form.empty()) return {};
  if (info.parts.size() > 2) {
    const Subresource* below = served.GetSubresource(info.subresource);
    const bool ends = info.parts.size() == 3 || (below && below->subpaths);
    return below && ends ? below->verbs : Verbs();
  }
  Verbs verbs;
  std::ranges::copy_if(form, std::back_inserter(verbs),
                       [&](const std::string& verb) { return HasVerb(served.verbs, verb); });
  return verbs;
}

// Custom resources have no routes in kube-apiserver, but a handler that checks the verb, which has
// its own error messages.
base::Result<ServedPtr> FindCustomRoute(const ServedPtr& served, const RequestInfo& info) {
  const bool everywhere = info.verb == "list" || info.verb == "watch";
  const bool namespaced = served->resource.namespaced;
  const bool in_namespace = info.in_namespace && !info.ns.empty();
  if (namespaced != in_namespace && !(namespaced && everywhere)) return ServedPtr();
  const Subresource* below = served->GetSubresource(info.subresource);
  if (!info.subresource.empty() && !below) return ObjectNotFound(served->resource, info.name);
  if (!HasVerb(below ? below->verbs : served->verbs, info.verb)) {
    return MethodNotSupported(served->resource, info.verb);
  }
  return served;
}

}  // namespace

bool IsBuiltinGroup(const Registry& registry, std::string_view group) {
  return std::ranges::any_of(registry.all(), [&](const ServedPtr& each) {
    return each->resource.group == group && !each->custom;
  });
}

base::Result<ServedPtr> FindRoute(const Registry& registry, const RequestInfo& info) {
  ServedPtr served = registry.Find(info.group, info.version, info.resource);
  if (!HasApiRoot(info)) return ServedPtr();
  if (!served && !IsBuiltinGroup(registry, info.group)) return served;
  if (!served) return ResourceUnknown();
  if (served->custom) {
    COPPICE_ASSIGN(const ServedPtr custom, FindCustomRoute(served, info));
    if (!custom) return custom;
  }
  const Verbs verbs = VerbsOfPath(*served, info);
  if (verbs.empty()) return ResourceUnknown();
  const bool known =
      info.prefix.empty() ? info.method != "HEAD" || served->custom : info.method == "GET";
  if (!known || !HasVerb(verbs, info.verb)) return MethodNotAllowed();
  COPPICE_TRY(CheckPathNames(info));
  return served;
}

}  // namespace coppice::server
