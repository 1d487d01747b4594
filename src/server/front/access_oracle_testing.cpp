#include "server/front/access_oracle_testing.h"

#include <algorithm>
#include <map>
#include <optional>

#include "json/strings.h"

namespace coppice::server {
namespace {

constexpr std::string_view kByName = "fieldSelector=metadata.name=";

bool Listed(const std::vector<std::string>& list, const std::string& item) {
  return std::ranges::find(list, "*") != list.end() || std::ranges::find(list, item) != list.end();
}

const json::Value* FindEntry(const json::Value& discovery, const std::string& name) {
  for (const json::Value& entry : discovery["resources"].Items()) {
    if (entry["name"].AsString() == name) return &entry;
  }
  return nullptr;
}

// The methods of a path by the verbs that discovery lists for it.
std::vector<std::string> Methods(const json::Value& verbs, const std::vector<std::string>& form) {
  static const std::map<std::string, std::string> methods = {{"get", "GET"},
                                                             {"list", "GET"},
                                                             {"create", "POST"},
                                                             {"update", "PUT"},
                                                             {"patch", "PATCH"},
                                                             {"delete", "DELETE"},
                                                             {"deletecollection", "DELETE"}};
  std::vector<std::string> found;
  for (const json::Value& verb : verbs.Items()) {
    const auto method = methods.find(verb.ToString());
    if (method != methods.end() && Listed(form, method->first)) found.push_back(method->second);
  }
  return found;
}

std::vector<std::string> MethodsOfPath(const Asked& asked, const json::Value& discovery) {
  const json::Value* resource = FindEntry(discovery, asked.resource);
  if (!resource) return {};
  const bool namespaced = (*resource)["namespaced"].AsBool();
  const bool in_namespace = !asked.ns.empty();
  if (in_namespace && !namespaced) return {};
  if (namespaced && !in_namespace && !asked.name.empty()) return {};
  const json::Value& verbs = (*resource)["verbs"];
  if (asked.prefix == "watch") {
    const bool watched =
        std::ranges::find(verbs.Items(), json::Value("watch")) != verbs.Items().end();
    if (!watched || !asked.subresource.empty()) return {};
    return {"GET"};
  }
  if (!asked.subresource.empty()) {
    const json::Value* below = FindEntry(discovery, asked.resource + "/" + asked.subresource);
    const bool ends = asked.below.empty() || asked.subresource == "proxy";
    return below && ends ? Methods((*below)["verbs"], {"*"}) : std::vector<std::string>();
  }
  if (!asked.name.empty()) return Methods(verbs, {"get", "update", "patch", "delete"});
  if (namespaced && !in_namespace) return Methods(verbs, {"list"});
  return Methods(verbs, {"list", "create", "deletecollection"});
}

// Custom resources are asked for by verb before their paths are compared.
std::optional<Answer> ExpectOfCustom(const Asked& asked, const json::Value& discovery) {
  const json::Value* resource = FindEntry(discovery, asked.resource);
  const bool namespaced = (*resource)["namespaced"].AsBool();
  const bool everywhere = asked.Verb() == "list" || asked.Verb() == "watch";
  if (namespaced == asked.ns.empty() && !(namespaced && everywhere)) return Answer::kNotFound;
  const json::Value* entry = asked.subresource.empty()
                                 ? resource
                                 : FindEntry(discovery, asked.resource + "/" + asked.subresource);
  if (!entry) return Answer::kNotFound;
  const auto verbs = json::ReadStrings((*entry)["verbs"]);
  if (!Listed(verbs, asked.Verb())) return Answer::kMethodNotAllowed;
  return std::nullopt;
}

}  // namespace

std::string Asked::Path() const {
  std::string path = root;
  for (const std::string& part :
       {prefix, ns.empty() ? "" : "namespaces/" + ns, resource, name, subresource, below}) {
    if (!part.empty()) path += "/" + part;
  }
  return path;
}

std::string Asked::Group() const {
  if (root.starts_with("/api/")) return "";
  return root.substr(6, root.rfind('/') - 6);
}

std::string Asked::Verb() const {
  if (!prefix.empty()) return prefix;
  const bool named = !name.empty();
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return named ? "delete" : "deletecollection";
  if (method != "GET" && method != "HEAD") return "";
  if (named) return "get";
  return query == "watch=1" ? "watch" : "list";
}

std::string Asked::AuthorizedName() const {
  const std::string verb = Verb();
  const bool selects = prefix.empty() && (verb == "list" || verb == "watch");
  if (!name.empty() || !selects || !query.starts_with(kByName)) return name;
  return query.substr(kByName.size());
}

std::string Asked::AuthorizedNamespace() const {
  return ns.empty() && resource == "namespaces" ? name : ns;
}

std::string Asked::ToString() const {
  return method + " " + Path() + (query.empty() ? "" : "?" + query);
}

bool Granted::Allows(const Asked& asked) const {
  if (!ns.empty() && ns != asked.AuthorizedNamespace()) return false;
  const std::string full =
      asked.subresource.empty() ? asked.resource : asked.resource + "/" + asked.subresource;
  const bool any_resource =
      !asked.subresource.empty() && Listed(resources, "*/" + asked.subresource);
  if (!Listed(verbs, asked.Verb()) || (!Listed(resources, full) && !any_resource)) return false;
  return names.empty() || std::ranges::find(names, asked.AuthorizedName()) != names.end();
}

Answer Expect(const Asked& asked, const std::vector<Granted>& rules, const json::Value& discovery) {
  const bool allowed =
      std::ranges::any_of(rules, [&](const Granted& rule) { return rule.Allows(asked); });
  if (!allowed) return Answer::kForbidden;
  const bool custom = asked.Group() == "walk.example.com";
  if (custom) {
    if (const auto refused = ExpectOfCustom(asked, discovery)) return *refused;
  }
  std::vector<std::string> methods = MethodsOfPath(asked, discovery);
  if (methods.empty()) return Answer::kNotFound;
  if (custom && asked.prefix.empty() && Listed(methods, "GET")) methods.push_back("HEAD");
  const bool served = std::ranges::find(methods, asked.method) != methods.end();
  return served ? Answer::kServed : Answer::kMethodNotAllowed;
}

}  // namespace coppice::server
