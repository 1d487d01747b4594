#include "server/kinds/checks.h"
#include "server/kinds/kinds.h"

// PersistentVolume, PersistentVolumeClaim, StorageClass.
namespace coppice::server {
namespace {

std::string DefaultClass(const store::Store& store) {
  const auto classes = store.List("storage.k8s.io/storageclasses", {});
  if (!classes) return "";
  for (const store::VersionPtr& each : classes->items) {
    const json::Value& annotations = each->value()["metadata"]["annotations"];
    if (annotations["storageclass.kubernetes.io/is-default-class"].AsString() == "true") {
      return each->name();
    }
  }
  return "";
}

class ClaimKind : public KindRules {
 public:
  void Default(json::Value& claim) const override {
    claim.Mutable("spec").SetDefault("volumeMode", "Filesystem");
  }
  base::Status PrepareForCreate(const RuleContext& context, json::Value& claim) const override {
    const std::string name = DefaultClass(context.store);
    if (!name.empty()) claim.Mutable("spec").SetDefault("storageClassName", name);
    claim.Mutable("status").Set("phase", "Pending");
    return {};
  }
  void Validate(const RuleContext&, const json::Value& claim, Causes& causes) const override {
    const json::Value& spec = claim["spec"];
    if (spec["accessModes"].empty()) {
      causes.push_back(
          api::RequiredField("spec.accessModes", "at least 1 access mode is required"));
    }
    if (!spec["resources"]["requests"].Has("storage")) {
      causes.push_back(api::RequiredField("spec.resources[storage]"));
    }
  }
  void ValidateUpdate(const RuleContext&, const json::Value& claim, const json::Value& old,
                      Causes& causes) const override {
    json::Value now = claim["spec"], before = old["spec"];
    for (json::Value* each : {&now, &before}) {
      each->Erase("resources");
      each->Erase("volumeAttributesClassName");
    }
    // The binder fills in the volume once.
    if (before["volumeName"].AsString().empty()) now.Erase("volumeName");
    if (before["storageClassName"].IsNull()) now.Erase("storageClassName");
    if (now == before) return;
    causes.push_back(api::ForbiddenField(
        "spec",
        "spec is immutable after creation except resources.requests and volumeAttributesClassName "
        "for bound claims"));
  }
};

class VolumeKind : public KindRules {
 public:
  void Default(json::Value& volume) const override {
    json::Value& spec = volume.Mutable("spec");
    spec.SetDefault("persistentVolumeReclaimPolicy", "Retain");
    spec.SetDefault("volumeMode", "Filesystem");
  }
  base::Status PrepareForCreate(const RuleContext&, json::Value& volume) const override {
    volume.Mutable("status").Set("phase", "Pending");
    return {};
  }
  void Validate(const RuleContext&, const json::Value& volume, Causes& causes) const override {
    if (volume["spec"]["accessModes"].empty())
      causes.push_back(api::RequiredField("spec.accessModes"));
    if (!volume["spec"]["capacity"].Has("storage"))
      causes.push_back(api::RequiredField("spec.capacity"));
  }
};

class ClassKind : public KindRules {
 public:
  void Default(json::Value& object) const override {
    object.SetDefault("reclaimPolicy", "Delete");
    object.SetDefault("volumeBindingMode", "Immediate");
  }
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    if (object["provisioner"].AsString().empty())
      causes.push_back(api::RequiredField("provisioner"));
    CheckOneOf(object["volumeBindingMode"], {"Immediate", "WaitForFirstConsumer"},
               "volumeBindingMode", causes);
  }
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    if (!(object["parameters"] == old["parameters"])) {
      causes.push_back(api::ForbiddenField("parameters", "updates to parameters are forbidden."));
    }
    if (!(object["provisioner"] == old["provisioner"])) {
      causes.push_back(api::ForbiddenField("provisioner", "updates to provisioner are forbidden."));
    }
    CheckImmutable(object["volumeBindingMode"], old["volumeBindingMode"], "volumeBindingMode",
                   causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> ClaimRules() { return std::make_shared<ClaimKind>(); }
std::shared_ptr<const KindRules> VolumeRules() { return std::make_shared<VolumeKind>(); }
std::shared_ptr<const KindRules> StorageClassRules() { return std::make_shared<ClassKind>(); }

}  // namespace coppice::server
