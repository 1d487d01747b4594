#include "server/kinds/checks.h"
#include "server/kinds/kinds.h"

// ResourceClaim, ResourceClaimTemplate, ResourceSlice, DeviceClass.
namespace coppice::server {
namespace {

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

void ValidateDevices(const json::Value& spec, const std::string& path, Causes& causes) {
  const json::Value& requests = spec["devices"]["requests"];
  for (size_t i = 0; i < requests.size(); ++i) {
    const json::Value& request = requests.At(i);
    const std::string place = api::Index(path + ".devices.requests", i);
    if (request["name"].AsString().empty())
      causes.push_back(api::RequiredField(api::Child(place, "name")));
    const bool one = request.Has("exactly"), other = request.Has("firstAvailable");
    if (one == other) {
      causes.push_back(api::InvalidField(
          place, request["name"], "exactly one of `exactly` or `firstAvailable` is required"));
    } else if (one && request["exactly"]["deviceClassName"].AsString().empty()) {
      causes.push_back(api::RequiredField(api::Child(place, "exactly.deviceClassName")));
    }
  }
}

class ClaimKind : public KindRules {
 public:
  void Default(json::Value& object) const override { DefaultDevices(object.Mutable("spec")); }
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    ValidateDevices(object["spec"], "spec", causes);
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
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    ValidateDevices(object["spec"]["spec"], "spec.spec", causes);
  }
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    CheckImmutable(object["spec"], old["spec"], "spec", causes);
  }
};

class SliceKind : public KindRules {
 public:
  bool HasGeneration() const override { return true; }
  std::vector<std::string_view> SelectableFields() const override {
    return {"spec.driver", "spec.nodeName"};
  }
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const json::Value& spec = object["spec"];
    if (spec["driver"].AsString().empty()) causes.push_back(api::RequiredField("spec.driver"));
    if (spec["pool"]["name"].AsString().empty())
      causes.push_back(api::RequiredField("spec.pool.name"));
    const int places = !spec["nodeName"].AsString().empty() + spec["nodeSelector"].IsObject() +
                       spec["allNodes"].AsBool() + spec["perDeviceNodeSelection"].AsBool();
    if (places != 1) {
      causes.push_back(api::RequiredField(
          "spec",
          "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is "
          "required"));
    }
  }
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    for (const char* field : {"driver", "nodeName"}) {
      CheckImmutable(object["spec"][field], old["spec"][field], api::Child("spec", field), causes);
    }
    CheckImmutable(object["spec"]["pool"]["name"], old["spec"]["pool"]["name"], "spec.pool.name",
                   causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> ResourceClaimRules() { return std::make_shared<ClaimKind>(); }
std::shared_ptr<const KindRules> ResourceClaimTemplateRules() {
  return std::make_shared<TemplateKind>();
}
std::shared_ptr<const KindRules> ResourceSliceRules() { return std::make_shared<SliceKind>(); }

}  // namespace coppice::server
