#include "backends/declarative/members.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/key/backendfiles.h"
#include "api/view/backendfiles.h"
#include "backends/model/options.h"

namespace coppice::backends::declarative {
namespace {

namespace fields = key::backendfiles;
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

base::Status CheckObject(view::backendfiles::DeclaredObject object, const std::string& path) {
  using Key = fields::DeclaredObject;
  COPPICE_TRY(
      Check(object.Json(), path,
            {Key::resource, Key::forEach, Key::template_, Key::immutable, Key::createOnly}));
  using Resource = fields::DeclaredResource;
  return Check(
      object.resource().Json(), path + ".resource",
      {Resource::group, Resource::version, Resource::plural, Resource::kind, Resource::namespaced});
}

base::Status CheckLists(const Value& declaration, const std::string& path) {
  using Key = fields::Declaration;
  for (const std::string_view list : {Key::schedulerNames, Key::objects, Key::topology}) {
    if (declaration[list].IsNull() || declaration[list].IsArray()) continue;
    return WrongField(fmt::format("{}.{}", path, list), "must be a list");
  }
  return {};
}

}  // namespace

base::Status CheckMembers(const Value& object) {
  const view::backendfiles::Declaration declaration(object);
  const std::string path(declaration.has_name() ? declaration.name() : "declaration");
  using Key = fields::Declaration;
  COPPICE_TRY(Check(object, path,
                    {Key::name, Key::schedulerNames, Key::gate, Key::objects, Key::pod,
                     Key::holdSurplus, Key::needsGang, Key::topology, Key::status}));
  COPPICE_TRY(CheckLists(object, path));
  const auto objects = declaration.objects();
  for (size_t i = 0; i < objects.size(); ++i) {
    COPPICE_TRY(CheckObject(objects.At(i), fmt::format("{}.objects[{}]", path, i)));
  }
  const view::backendfiles::DeclaredPod pod = declaration.pod();
  using Pod = fields::DeclaredPod;
  COPPICE_TRY(Check(pod.Json(), path + ".pod", {Pod::labels, Pod::annotations, Pod::coreOnly}));
  COPPICE_TRY(
      Check(pod.coreOnly().Json(), path + ".pod.coreOnly", {Pod::labels, Pod::annotations}));
  const Value& status = declaration.status().Json();
  COPPICE_TRY(Check(status, path + ".status",
                    {fields::DeclaredStatus::unschedulable, fields::DeclaredStatus::unhealthy}));
  using Signal = fields::DeclaredSignal;
  for (const json::Member& rule : status.Members()) {
    COPPICE_TRY(Check(rule.value, fmt::format("{}.status.{}", path, rule.name()),
                      {Signal::condition, Signal::status, Signal::phase}));
  }
  return {};
}

}  // namespace coppice::backends::declarative
