#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "kube/object.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/claim_spec.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/checks/selectors.h"

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
    ValidateClaimSpec(claim["spec"], "spec", causes);
  }
  void ValidateUpdate(const RuleContext&, const json::Value& claim, const json::Value& old,
                      Causes& causes) const override {
    json::Value now = claim["spec"], before = old["spec"];
    const bool bound = old["status"]["phase"].AsString() == "Bound";
    for (json::Value* each : {&now, &before}) {
      if (bound) each->Erase("resources");
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

// Which nodes reach it.
void CheckWhere(const json::Value& spec, Causes& causes) {
  const json::Value& affinity = spec["nodeAffinity"];
  if (!affinity.IsObject()) {
    if (!spec["local"].IsObject()) return;
    causes.push_back(
        api::RequiredField("spec.nodeAffinity", "Local volume requires node affinity"));
  } else if (!affinity["required"].IsObject()) {
    causes.push_back(
        api::RequiredField("spec.nodeAffinity.required", "must specify required node constraints"));
  } else {
    CheckNodeSelector(affinity["required"], "spec.nodeAffinity.required", causes);
  }
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
    CheckAccessModes(spec["accessModes"], "spec.accessModes", causes);
    const json::Value& capacity = spec["capacity"];
    if (capacity.empty()) causes.push_back(api::RequiredField("spec.capacity"));
    if (!capacity.Has("storage") || capacity.size() > 1) {
      causes.push_back(api::UnsupportedField("spec.capacity", capacity, {"storage"}));
    }
    for (const json::Member& amount : capacity.Members()) {
      if (SignOf(amount.value) > 0) continue;
      causes.push_back(api::InvalidField(api::Key("spec.capacity", amount.name()), amount.value,
                                         "must be greater than zero"));
    }
    if (spec["hostPath"].IsObject() && spec["hostPath"]["path"].AsString().empty()) {
      causes.push_back(api::RequiredField("spec.hostPath.path"));
    }
    CheckOneOf(spec["persistentVolumeReclaimPolicy"], {"Delete", "Recycle", "Retain"},
               "spec.persistentVolumeReclaimPolicy", causes);
    if (spec["persistentVolumeReclaimPolicy"].AsString() == "Recycle" &&
        spec["hostPath"]["path"].AsString() == "/") {
      causes.push_back(api::ForbiddenField("spec.persistentVolumeReclaimPolicy",
                                           "may not be 'recycle' for a hostPath mount of '/'"));
    }
    CheckOneOf(spec["volumeMode"], {"Block", "Filesystem"}, "spec.volumeMode", causes);
    CheckWhere(spec, causes);
    const json::Value source = Source(spec);
    if (source.empty()) causes.push_back(api::RequiredField("spec", "must specify a volume type"));
    for (size_t i = 1; i < source.size(); ++i) {
      causes.push_back(api::ForbiddenField(api::Child("spec", source.Members()[i].name()),
                                           "may not specify more than 1 volume type"));
    }
  }
  void ValidateUpdate(const RuleContext&, const json::Value& volume, const json::Value& old,
                      Causes& causes) const override {
    CheckImmutable(volume["spec"]["volumeMode"], old["spec"]["volumeMode"], "volumeMode", causes);
    if (Source(volume["spec"]) == Source(old["spec"])) return;
    causes.push_back(api::ForbiddenField(
        "spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"));
  }
};

void CheckProvisioner(const json::Value& provisioner, Causes& causes) {
  if (provisioner.AsString().empty()) {
    causes.push_back(api::RequiredField("provisioner"));
    return;
  }
  std::string name = provisioner.ToString();
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  CheckProblems(name, api::LabelKeyProblems(name), "provisioner", causes);
}

void CheckPlaces(const json::Value& terms, Causes& causes) {
  for (size_t i = 0; i < terms.size(); ++i) {
    const json::Value& labels = terms.At(i)["matchLabelExpressions"];
    const std::string list =
        api::Child(api::Index("allowedTopologies", i), "matchLabelExpressions");
    for (size_t l = 0; l < labels.size(); ++l) {
      if (!labels.At(l)["values"].empty()) continue;
      causes.push_back(api::RequiredField(api::Child(api::Index(list, l), "values")));
    }
  }
}

class ClassKind : public KindRules {
 public:
  void Default(json::Value& object) const override {
    object.SetDefault("reclaimPolicy", "Delete");
    object.SetDefault("volumeBindingMode", "Immediate");
  }
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    CheckProvisioner(object["provisioner"], causes);
    CheckPlaces(object["allowedTopologies"], causes);
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
