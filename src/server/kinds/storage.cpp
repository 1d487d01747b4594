#include <fmt/format.h>

#include <set>

#include "kube/object.h"
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

void CheckAccessModes(const json::Value& modes, Causes& causes) {
  for (const json::Value& mode : modes.Items()) {
    CheckOneOf(mode, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"},
               "spec.accessModes", causes);
  }
}

void Protect(std::string_view finalizer, json::Value& object) {
  if (kube::HasFinalizer(object, finalizer)) return;
  object.Mutable("metadata").Mutable("finalizers").Append(finalizer);
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
    Protect(kClaimProtection, claim);
    return {};
  }
  void Validate(const RuleContext&, const json::Value& claim, Causes& causes) const override {
    const json::Value& spec = claim["spec"];
    if (spec["accessModes"].empty()) {
      causes.push_back(
          api::RequiredField("spec.accessModes", "at least 1 access mode is required"));
    }
    CheckAccessModes(spec["accessModes"], causes);
    const json::Value& storage = spec["resources"]["requests"]["storage"];
    if (storage.IsNull()) {
      causes.push_back(api::RequiredField("spec.resources[storage]"));
    } else if (SignOf(storage) <= 0) {
      causes.push_back(
          api::InvalidField("spec.resources[storage]", storage, "must be greater than zero"));
    }
    CheckOneOf(spec["volumeMode"], {"Block", "Filesystem"}, "spec.volumeMode", causes);
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

// What a volume's spec has besides the place of its data.
bool IsSource(std::string_view field) {
  static const std::set<std::string_view> others = {
      "accessModes",      "capacity",     "claimRef",
      "mountOptions",     "nodeAffinity", "persistentVolumeReclaimPolicy",
      "storageClassName", "volumeMode",   "volumeAttributesClassName"};
  return !others.contains(field);
}

json::Value Source(const json::Value& spec) {
  json::Value source = json::Value::Object();
  for (const json::Member& member : spec.Members()) {
    if (IsSource(member.name())) source.Set(member.name(), member.value);
  }
  return source;
}

class VolumeKind : public KindRules {
 public:
  void Default(json::Value& volume) const override {
    json::Value& spec = volume.Mutable("spec");
    spec.SetDefault("persistentVolumeReclaimPolicy", "Retain");
    spec.SetDefault("volumeMode", "Filesystem");
    if (json::Value* path = spec.FindMutable("hostPath")) path->SetDefault("type", "");
  }
  base::Status PrepareForCreate(const RuleContext& context, json::Value& volume) const override {
    volume.Mutable("status").Set("phase", "Pending");
    volume.Mutable("status").Set("lastPhaseTransitionTime", base::FormatRfc3339(context.now));
    Protect(kVolumeProtection, volume);
    return {};
  }
  base::Status PrepareForUpdate(const RuleContext& context, json::Value& volume,
                                const json::Value& old) const override {
    if (volume["status"]["phase"] == old["status"]["phase"]) return {};
    volume.Mutable("status").Set("lastPhaseTransitionTime", base::FormatRfc3339(context.now));
    return {};
  }
  void Validate(const RuleContext&, const json::Value& volume, Causes& causes) const override {
    const json::Value& spec = volume["spec"];
    if (spec["accessModes"].empty()) causes.push_back(api::RequiredField("spec.accessModes"));
    CheckAccessModes(spec["accessModes"], causes);
    if (spec["capacity"].empty()) {
      causes.push_back(api::RequiredField("spec.capacity"));
    } else if (!spec["capacity"].Has("storage") || spec["capacity"].size() > 1) {
      causes.push_back(api::UnsupportedField("spec.capacity", spec["capacity"], {"storage"}));
    }
    const json::Value source = Source(spec);
    if (source.empty()) causes.push_back(api::RequiredField("spec", "must specify a volume type"));
    for (size_t i = 1; i < source.size(); ++i) {
      causes.push_back(api::ForbiddenField(api::Child("spec", source.Members()[i].name()),
                                           "may not specify more than 1 volume type"));
    }
  }
  void ValidateUpdate(const RuleContext&, const json::Value& volume, const json::Value& old,
                      Causes& causes) const override {
    if (Source(volume["spec"]) == Source(old["spec"])) return;
    causes.push_back(api::ForbiddenField(
        "spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"));
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
    CheckOneOf(object["reclaimPolicy"], {"Delete", "Retain"}, "reclaimPolicy", causes);
    CheckOneOf(object["volumeBindingMode"], {"Immediate", "WaitForFirstConsumer"},
               "volumeBindingMode", causes);
  }
  void ValidateUpdate(const RuleContext& context, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    for (const char* field : {"parameters", "provisioner", "reclaimPolicy"}) {
      if (context.kubernetes_version != "1.35") {
        CheckImmutable(object[field], old[field], field, causes);
        continue;
      }
      if (object[field] == old[field]) continue;
      causes.push_back(
          api::ForbiddenField(field, fmt::format("updates to {} are forbidden.", field)));
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
