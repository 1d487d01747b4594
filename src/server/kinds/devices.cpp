#include <set>

#include "cel/device.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"

// ResourceClaim, ResourceClaimTemplate, DeviceClass.
namespace coppice::server {
namespace {

using api::Child;
using api::Index;

void DefaultRequest(json::Value& exactly) {
  exactly.SetDefault("allocationMode", "ExactCount");
  if (exactly["allocationMode"].AsString() == "ExactCount") exactly.SetDefault("count", 1);
}

void DefaultDevices(json::Value& spec) {
  json::Value* devices = spec.FindMutable("devices");
  json::Value* requests = devices ? devices->FindMutable("requests") : nullptr;
  if (!requests) return;
  for (json::Value& request : requests->MutableItems()) {
    if (json::Value* exactly = request.FindMutable("exactly")) DefaultRequest(*exactly);
    if (json::Value* choices = request.FindMutable("firstAvailable")) {
      for (json::Value& choice : choices->MutableItems()) DefaultRequest(choice);
    }
  }
}

constexpr size_t kLongestExpression = 10 * 1024;
constexpr size_t kMostSelectors = 32;

void CheckSelectors(const json::Value& selectors, const std::string& path, Causes& causes) {
  if (selectors.size() > kMostSelectors) {
    causes.push_back(
        api::TooManyField(path, static_cast<int64_t>(selectors.size()), kMostSelectors));
  }
  for (size_t i = 0; i < selectors.size(); ++i) {
    const std::string place = Child(Index(path, i), "cel");
    if (!selectors.At(i)["cel"].IsObject()) {
      causes.push_back(api::RequiredField(place));
      continue;
    }
    const json::Value& expression = selectors.At(i)["cel"]["expression"];
    if (expression.AsString().size() > kLongestExpression) {
      causes.push_back(api::TooLongField(Child(place, "expression"), kLongestExpression));
      continue;
    }
    const auto compiled = cel::DeviceSelector::Compile(expression.AsString());
    if (compiled) continue;
    causes.push_back(api::InvalidField(Child(place, "expression"), expression.AsString(),
                                       "compilation failed: " + compiled.error().message()));
  }
}

void CheckExactRequest(const json::Value& request, const std::string& path, Causes& causes) {
  CheckSubdomain(request["deviceClassName"], Child(path, "deviceClassName"), causes);
  CheckOneOf(request["allocationMode"], {"All", "ExactCount"}, Child(path, "allocationMode"),
             causes);
  CheckSelectors(request["selectors"], Child(path, "selectors"), causes);
  const bool counts = request["allocationMode"].AsString() == "ExactCount";
  if (request["allocationMode"].AsString() == "All" && request["count"].AsInt() != 0) {
    causes.push_back(api::InvalidField(Child(path, "count"), request["count"],
                                       "must not be specified when allocationMode is 'All'"));
  }
  if (counts && request["count"].AsInt() < 1) {
    causes.push_back(
        api::InvalidField(Child(path, "count"), request["count"], "must be greater than zero"));
  }
}

void ValidateRequest(const json::Value& request, const std::string& path, Causes& causes) {
  CheckProblems(request["name"], api::Dns1123LabelProblems(request["name"].AsString()),
                Child(path, "name"), causes);
  const bool one = request.Has("exactly"), other = request.Has("firstAvailable");
  const std::string which = "exactly one of `exactly` or `firstAvailable` is required";
  if (one && other) {
    causes.push_back(
        api::InvalidField(path, json::Value(), which + ", but multiple fields are set"));
  } else if (!one && !other) {
    causes.push_back(api::RequiredField(path, which));
  } else if (one) {
    CheckExactRequest(request["exactly"], Child(path, "exactly"), causes);
  }
  const json::Value& choices = request["firstAvailable"];
  for (size_t i = 0; i < choices.size() && !one; ++i) {
    const std::string place = Index(Child(path, "firstAvailable"), i);
    const json::Value& name = choices.At(i)["name"];
    CheckProblems(name, api::Dns1123LabelProblems(name.AsString()), Child(place, "name"), causes);
    CheckExactRequest(choices.At(i), place, causes);
  }
}

// A request's name, or "request/choice".
bool IsRequest(const json::Value& requests, std::string_view name) {
  const std::string_view first = name.substr(0, name.find('/'));
  for (const json::Value& request : requests.Items()) {
    if (request["name"].AsString() != first) continue;
    if (first == name) return true;
    for (const json::Value& choice : request["firstAvailable"].Items()) {
      if (choice["name"].AsString() == name.substr(first.size() + 1)) return true;
    }
  }
  return false;
}

constexpr size_t kMostRequests = 32;
// Kubernetes says so when there is none at all.
constexpr const char* kOneAttribute =
    "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields "
    "are set";

// "domain/name".
void CheckAttribute(const json::Value& name, const std::string& path, Causes& causes) {
  if (name.IsNull() || name.AsString().find('/') != std::string_view::npos) return;
  causes.push_back(api::InvalidField(
      path, name, "a fully qualified name must be a domain and a name separated by a slash"));
}

void CheckConfigs(const json::Value& configs, const std::string& path, Causes& causes) {
  for (size_t i = 0; i < configs.size(); ++i) {
    const std::string place = Child(Index(path, i), "opaque");
    if (!configs.At(i)["opaque"].IsObject()) {
      causes.push_back(api::RequiredField(place));
    } else {
      CheckSubdomain(configs.At(i)["opaque"]["driver"], Child(place, "driver"), causes);
    }
  }
}

void ValidateDevices(const RuleContext& context, const json::Value& spec, const std::string& path,
                     Causes& causes) {
  const json::Value& requests = spec["devices"]["requests"];
  if (requests.size() > kMostRequests) {
    causes.push_back(api::TooManyField(path + ".devices.requests",
                                       static_cast<int64_t>(requests.size()), kMostRequests));
  }
  std::set<std::string> names;
  for (size_t i = 0; i < requests.size(); ++i) {
    const std::string place = Index(path + ".devices.requests", i);
    if (!names.insert(requests.At(i)["name"].ToString()).second) {
      causes.push_back(api::DuplicateField(place, requests.At(i)["name"]));
    }
    ValidateRequest(requests.At(i), place, causes);
  }
  const json::Value& constraints = spec["devices"]["constraints"];
  for (size_t i = 0; i < constraints.size(); ++i) {
    const std::string place = Index(path + ".devices.constraints", i);
    if (!constraints.At(i).Has("matchAttribute") && !constraints.At(i).Has("distinctAttribute")) {
      causes.push_back(context.kubernetes_version == "1.35"
                           ? api::RequiredField(Child(place, "matchAttribute"))
                           : api::RequiredField(place, kOneAttribute));
    }
    CheckAttribute(constraints.At(i)["matchAttribute"], Child(place, "matchAttribute"), causes);
    const json::Value& among = constraints.At(i)["requests"];
    for (size_t r = 0; r < among.size(); ++r) {
      if (IsRequest(requests, among.At(r).AsString())) continue;
      causes.push_back(api::InvalidField(
          Index(place + ".requests", r), among.At(r),
          "must be the name of a request in the claim or the name of a request and a subrequest "
          "separated by '/'"));
    }
  }
  CheckConfigs(spec["devices"]["config"], path + ".devices.config", causes);
}

class ResourceClaimKind : public KindRules {
 public:
  void Default(json::Value& object) const override { DefaultDevices(object.Mutable("spec")); }
  void Validate(const RuleContext& context, const json::Value& object,
                Causes& causes) const override {
    ValidateDevices(context, object["spec"], "spec", causes);
  }
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    CheckImmutable(object["spec"], old["spec"], "spec", causes);
  }
  void ValidateStatusUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                            Causes& causes) const override {
    const json::Value& now = object["status"]["allocation"];
    const json::Value& before = old["status"]["allocation"];
    if (before.IsObject() && now.IsObject()) {
      CheckImmutable(now, before, "status.allocation", causes);
    }
    if (now.IsNull() && !object["status"]["reservedFor"].empty()) {
      causes.push_back(api::ForbiddenField("status.reservedFor",
                                           "may not be specified when `allocated` is not set"));
    }
    const json::Value& consumers = object["status"]["reservedFor"];
    std::set<std::string> uids;
    for (size_t i = 0; i < consumers.size(); ++i) {
      if (uids.insert(consumers.At(i)["uid"].ToString()).second) continue;
      causes.push_back(api::DuplicateField(Index("status.reservedFor", i), consumers.At(i)["uid"]));
    }
    if (object["status"]["reservedFor"].size() > 256) {
      causes.push_back(api::TooManyField(
          "status.reservedFor", static_cast<int64_t>(object["status"]["reservedFor"].size()), 256));
    }
  }
};

class TemplateKind : public KindRules {
 public:
  void Default(json::Value& object) const override {
    DefaultDevices(object.Mutable("spec").Mutable("spec"));
  }
  void Validate(const RuleContext& context, const json::Value& object,
                Causes& causes) const override {
    ValidateDevices(context, object["spec"]["spec"], "spec.spec", causes);
  }
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    CheckImmutable(object["spec"], old["spec"], "spec", causes);
  }
};

class DeviceClassKind : public KindRules {
 public:
  bool HasGeneration() const override { return true; }
  void Validate(const RuleContext& context, const json::Value& object,
                Causes& causes) const override {
    const json::Value& extended = object["spec"]["extendedResourceName"];
    const bool qualified = extended.AsString().find('/') != std::string_view::npos &&
                           api::LabelKeyProblems(extended.AsString()).empty();
    if (context.kubernetes_version != "1.35" && !extended.IsNull() && !qualified) {
      causes.push_back(api::InvalidField("spec.extendedResourceName", extended,
                                         "must be a valid extended resource name"));
    }
    CheckSelectors(object["spec"]["selectors"], "spec.selectors", causes);
    CheckConfigs(object["spec"]["config"], "spec.config", causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> ResourceClaimRules() {
  return std::make_shared<ResourceClaimKind>();
}
std::shared_ptr<const KindRules> ResourceClaimTemplateRules() {
  return std::make_shared<TemplateKind>();
}
std::shared_ptr<const KindRules> DeviceClassRules() { return std::make_shared<DeviceClassKind>(); }

}  // namespace coppice::server
