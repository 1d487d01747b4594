#include "backends/declarative/members.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "backends/model/options.h"

namespace coppice::backends::declarative {
namespace {

using json::Value;
using Names = std::vector<std::string_view>;

base::Status Check(const Value& mapping, const std::string& path, const Names& known) {
  if (!mapping.IsNull() && !mapping.IsObject()) return WrongField(path, "must be a mapping");
  for (const json::Member& member : mapping.Members()) {
    if (std::find(known.begin(), known.end(), member.name()) != known.end()) continue;
    return WrongField(fmt::format("{}.{}", path, member.name()),
                      fmt::format("unknown; {} can be set", fmt::join(known, ", ")));
  }
  return {};
}

base::Status CheckObject(const Value& object, const std::string& path) {
  COPPICE_TRY(Check(object, path, {"resource", "forEach", "template", "immutable", "createOnly"}));
  return Check(object["resource"], path + ".resource",
               {"group", "version", "plural", "kind", "namespaced"});
}

base::Status CheckLists(const Value& declaration, const std::string& path) {
  for (const std::string_view list : {"schedulerNames", "objects", "topology"}) {
    if (declaration[list].IsNull() || declaration[list].IsArray()) continue;
    return WrongField(fmt::format("{}.{}", path, list), "must be a list");
  }
  return {};
}

}  // namespace

base::Status CheckMembers(const Value& declaration) {
  const std::string path = declaration["name"].ToString("declaration");
  COPPICE_TRY(Check(declaration, path,
                    {"name", "schedulerNames", "gate", "objects", "pod", "holdSurplus", "needsGang",
                     "topology", "status"}));
  COPPICE_TRY(CheckLists(declaration, path));
  const Value& objects = declaration["objects"];
  for (size_t i = 0; i < objects.size(); ++i) {
    COPPICE_TRY(CheckObject(objects.At(i), fmt::format("{}.objects[{}]", path, i)));
  }
  const Value& pod = declaration["pod"];
  COPPICE_TRY(Check(pod, path + ".pod", {"labels", "annotations", "coreOnly"}));
  COPPICE_TRY(Check(pod["coreOnly"], path + ".pod.coreOnly", {"labels", "annotations"}));
  const Value& status = declaration["status"];
  COPPICE_TRY(Check(status, path + ".status", {"unschedulable", "unhealthy"}));
  for (const json::Member& rule : status.Members()) {
    COPPICE_TRY(Check(rule.value, fmt::format("{}.status.{}", path, rule.name()),
                      {"condition", "status", "phase"}));
  }
  return {};
}

}  // namespace coppice::backends::declarative
