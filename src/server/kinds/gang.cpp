#include <set>

#include "kube/object.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"

// The Workload API: Workload, PodGroup, CompositePodGroup, each release in its own shape.
namespace coppice::server {
namespace {

using api::Child;
using api::Index;

constexpr size_t kMaxGroups = 8;
constexpr int kMaxCompositeLevels = 3;
constexpr int64_t kHighestPriority = 1000000000;

void ValidatePolicy(const json::Value& policy, const char* count, const std::string& path,
                    Causes& causes) {
  const bool basic = policy["basic"].IsObject(), gang = policy["gang"].IsObject();
  if (basic && gang) {
    causes.push_back(api::InvalidField(
        path, "{`basic`, `gang`}",
        "exactly one of `basic`, `gang` is required, but multiple fields are set"));
  } else if (!basic && !gang) {
    causes.push_back(api::RequiredField(path, "exactly one of `basic`, `gang` is required"));
  } else if (gang && policy["gang"][count].AsInt() < 1) {
    causes.push_back(api::InvalidField(Child(path, std::string("gang.") + count),
                                       policy["gang"][count].AsInt(), "must be greater than zero"));
  }
}

void ValidateName(const json::Value& name, const std::string& path, Causes& causes) {
  if (name.AsString().empty()) {
    causes.push_back(api::RequiredField(path));
  } else {
    CheckProblems(name, api::Dns1123LabelProblems(name.AsString()), path, causes);
  }
}

void CheckCount(const json::Value& list, bool required, const std::string& path, Causes& causes) {
  if (required && list.empty()) {
    causes.push_back(api::RequiredField(path, "must have at least one item"));
  }
  if (list.size() > kMaxGroups) {
    causes.push_back(api::TooManyField(path, static_cast<int64_t>(list.size()), kMaxGroups));
  }
}

// What templates and groups share since 1.36.
void ValidateGroupFields(const json::Value& group, const std::string& path, Causes& causes) {
  const json::Value& topology = group["schedulingConstraints"]["topology"];
  if (topology.size() > 1) {
    causes.push_back(api::TooManyField(Child(path, "schedulingConstraints.topology"),
                                       static_cast<int64_t>(topology.size()), 1));
  }
  for (size_t i = 0; i < topology.size(); ++i) {
    const std::string place = Child(Index(Child(path, "schedulingConstraints.topology"), i), "key");
    CheckProblems(topology.At(i)["key"], api::LabelKeyProblems(topology.At(i)["key"].AsString()),
                  place, causes);
  }
  if (group["resourceClaims"].size() > 4) {
    causes.push_back(api::TooManyField(Child(path, "resourceClaims"),
                                       static_cast<int64_t>(group["resourceClaims"].size()), 4));
  }
  if (group["priority"].AsInt() > kHighestPriority) {
    causes.push_back(api::InvalidField(Child(path, "priority"), group["priority"],
                                       "must be less than or equal to 1000000000"));
  }
}

void ValidateTemplates(const json::Value& templates, const std::string& path,
                       std::set<std::string>& names, Causes& causes) {
  CheckCount(templates, false, path, causes);
  for (size_t i = 0; i < templates.size(); ++i) {
    const json::Value& each = templates.At(i);
    const std::string place = Index(path, i);
    ValidateName(each["name"], Child(place, "name"), causes);
    if (!names.insert(each["name"].ToString()).second) {
      causes.push_back(api::DuplicateField(Child(place, "name"), each["name"]));
    }
    ValidatePolicy(each["schedulingPolicy"], "minCount", Child(place, "schedulingPolicy"), causes);
    ValidateGroupFields(each, place, causes);
  }
}

void ValidateComposites(const json::Value& composites, const std::string& path, int level,
                        std::set<std::string>& names, Causes& causes) {
  CheckCount(composites, false, path, causes);
  if (!composites.empty() && level > kMaxCompositeLevels) {
    causes.push_back(api::ForbiddenField(path, "at most 3 levels of composite groups are allowed"));
    return;
  }
  for (size_t i = 0; i < composites.size(); ++i) {
    const json::Value& each = composites.At(i);
    const std::string place = Index(path, i);
    ValidateName(each["name"], Child(place, "name"), causes);
    if (!names.insert(each["name"].ToString()).second) {
      causes.push_back(api::DuplicateField(Child(place, "name"), each["name"]));
    }
    ValidatePolicy(each["schedulingPolicy"], "minGroupCount", Child(place, "schedulingPolicy"),
                   causes);
    ValidateGroupFields(each, place, causes);
    if (each["podGroupTemplates"].empty() && each["compositePodGroupTemplates"].empty()) {
      causes.push_back(api::RequiredField(place, "at least one child template is required"));
    }
    ValidateTemplates(each["podGroupTemplates"], Child(place, "podGroupTemplates"), names, causes);
    ValidateComposites(each["compositePodGroupTemplates"],
                       Child(place, "compositePodGroupTemplates"), level + 1, names, causes);
  }
}

// One Workload has one priority: preempting a part of it would be preempting all of it.
void CheckPriorities(const json::Value& node, const json::Value& first, const std::string& path,
                     Causes& causes) {
  for (const char* list : {"podGroupTemplates", "compositePodGroupTemplates"}) {
    for (size_t i = 0; i < node[list].size(); ++i) {
      const json::Value& each = node[list].At(i);
      const std::string place = Index(Child(path, list), i);
      for (const char* field : {"priorityClassName", "priority"}) {
        if (each[field] == first[field]) continue;
        causes.push_back(api::InvalidField(Child(place, field), each[field],
                                           "must be the same in all templates of the workload"));
      }
      CheckPriorities(each, first, place, causes);
    }
  }
}

// The minimum of a gang may change from 1.37 on.
json::Value WithoutCounts(json::Value value) {
  if (value["gang"].IsObject()) value.Mutable("gang").Erase("minCount");
  if (value.IsObject()) {
    for (json::Member& member : value.MutableMembers()) {
      if (member.value.size() > 0) member.value = WithoutCounts(member.value);
    }
  } else if (value.IsArray()) {
    for (json::Value& item : value.MutableItems()) item = WithoutCounts(item);
  }
  return value;
}

class WorkloadKind : public KindRules {
 public:
  void Validate(const RuleContext& context, const json::Value& object,
                Causes& causes) const override {
    const json::Value& spec = object["spec"];
    std::set<std::string> names;
    if (context.kubernetes_version == "1.35") return ValidateV1Alpha1(spec, names, causes);
    const bool plain = !spec["podGroupTemplates"].empty();
    const bool composite = !spec["compositePodGroupTemplates"].empty();
    if (context.kubernetes_version == "1.36") {
      CheckCount(spec["podGroupTemplates"], true, "spec.podGroupTemplates", causes);
    } else if (plain == composite) {
      causes.push_back(api::InvalidField(
          "spec", spec,
          "must specify exactly one of: `podGroupTemplates`, `compositePodGroupTemplates`"));
    }
    ValidateTemplates(spec["podGroupTemplates"], "spec.podGroupTemplates", names, causes);
    ValidateComposites(spec["compositePodGroupTemplates"], "spec.compositePodGroupTemplates", 1,
                       names, causes);
    if (context.kubernetes_version != "1.36") {
      const char* list = plain ? "podGroupTemplates" : "compositePodGroupTemplates";
      CheckPriorities(spec, spec[list].At(0), "spec", causes);
    }
  }

  void ValidateUpdate(const RuleContext& context, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    const json::Value& now = object["spec"];
    const json::Value& before = old["spec"];
    if (!before["controllerRef"].IsNull()) {
      CheckImmutable(now["controllerRef"], before["controllerRef"], "spec.controllerRef", causes);
    }
    CheckImmutable(now["podGroups"], before["podGroups"], "podGroups", causes);  // Its own path.
    const bool counts = context.kubernetes_version != "1.36";
    for (const char* field : {"podGroupTemplates", "compositePodGroupTemplates"}) {
      CheckImmutable(counts ? WithoutCounts(now[field]) : now[field],
                     counts ? WithoutCounts(before[field]) : before[field], Child("spec", field),
                     causes);
    }
  }

 private:
  static void ValidateV1Alpha1(const json::Value& spec, std::set<std::string>& names,
                               Causes& causes) {
    const json::Value& groups = spec["podGroups"];
    CheckCount(groups, true, "spec.podGroups", causes);
    for (size_t i = 0; i < groups.size(); ++i) {
      const std::string place = Index("spec.podGroups", i);
      ValidateName(groups.At(i)["name"], Child(place, "name"), causes);
      if (!names.insert(groups.At(i)["name"].ToString()).second) {
        causes.push_back(api::DuplicateField(Child(place, "name"), groups.At(i)["name"]));
      }
      ValidatePolicy(groups.At(i)["policy"], "minCount", Child(place, "policy"), causes);
    }
  }
};

class GroupKind : public KindRules {
 public:
  base::Status PrepareForCreate(const RuleContext& context, json::Value& object) const override {
    json::Value& spec = object.Mutable("spec");
    if (context.kubernetes_version == "1.36") {
      spec.SetDefault("disruptionMode", "Pod");
    } else {
      spec.SetDefault("disruptionMode", json::Value::Object({{"single", json::Value::Object()}}));
    }
    if (object["kind"].AsString() == "PodGroup" &&
        !kube::HasFinalizer(object, kPodGroupProtection)) {
      object.Mutable("metadata").Mutable("finalizers").Append(kPodGroupProtection);
    }
    return {};
  }

  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const json::Value& spec = object["spec"];
    const bool composite = object["kind"].AsString() == "CompositePodGroup";
    ValidatePolicy(spec["schedulingPolicy"], composite ? "minGroupCount" : "minCount",
                   "spec.schedulingPolicy", causes);
    ValidateGroupFields(spec, "spec", causes);
    const bool child = !spec["parentCompositePodGroupName"].AsString().empty();
    if ((composite || child) && !spec["workloadRef"].IsObject()) {
      causes.push_back(api::RequiredField("spec.workloadRef"));
    }
  }

  void ValidateUpdate(const RuleContext& context, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    const bool counts =
        context.kubernetes_version != "1.36" && object["kind"].AsString() == "PodGroup";
    CheckImmutable(counts ? WithoutCounts(object["spec"]) : object["spec"],
                   counts ? WithoutCounts(old["spec"]) : old["spec"], "spec", causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> WorkloadRules() { return std::make_shared<WorkloadKind>(); }
std::shared_ptr<const KindRules> PodGroupRules() { return std::make_shared<GroupKind>(); }

}  // namespace coppice::server
