#include <algorithm>
#include <set>

#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/checks/selectors.h"

// CSIDriver, CSINode, CSIStorageCapacity.
namespace coppice::server {
namespace {

class DriverKind : public KindRules {
 public:
  void Default(json::Value& object) const override {
    json::Value& spec = object.Mutable("spec");
    spec.SetDefault("attachRequired", true);
    spec.SetDefault("fsGroupPolicy", "ReadWriteOnceWithFSType");
    for (const char* field :
         {"podInfoOnMount", "requiresRepublish", "seLinuxMount", "storageCapacity"}) {
      spec.SetDefault(field, false);
    }
    if (spec["volumeLifecycleModes"].empty()) {
      spec.Set("volumeLifecycleModes", json::Value::Array({"Persistent"}));
    }
  }
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const json::Value& spec = object["spec"];
    CheckOneOf(spec["fsGroupPolicy"], {"File", "None", "ReadWriteOnceWithFSType"},
               "spec.fsGroupPolicy", causes);
    for (const json::Value& mode : spec["volumeLifecycleModes"].Items()) {
      CheckOneOf(mode, {"Persistent", "Ephemeral"}, "spec.volumeLifecycleModes", causes);
    }
  }
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    // Kubernetes' own spelling of the path.
    CheckImmutable(object["spec"]["attachRequired"], old["spec"]["attachRequired"],
                   "spec.attachedRequired", causes);
    CheckImmutable(object["spec"]["volumeLifecycleModes"], old["spec"]["volumeLifecycleModes"],
                   "spec.volumeLifecycleModes", causes);
  }
};

constexpr size_t kLongestDriverName = 63;
constexpr size_t kLongestNodeId = 256;

void CheckDriverName(const json::Value& name, const std::string& path, Causes& causes) {
  if (name.AsString().empty()) return;
  if (name.AsString().size() > kLongestDriverName) {
    causes.push_back(api::TooLongField(path, kLongestDriverName));
  }
  std::string lower = name.ToString();
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  CheckProblems(name, api::Dns1123SubdomainProblems(lower), path, causes);
}

class NodeDriversKind : public KindRules {
 public:
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const json::Value& drivers = object["spec"]["drivers"];
    std::set<std::string> names;
    for (size_t i = 0; i < drivers.size(); ++i) {
      const std::string path = api::Index("spec.drivers", i);
      for (const char* field : {"name", "nodeID"}) {
        if (drivers.At(i)[field].AsString().empty()) {
          causes.push_back(api::RequiredField(api::Child(path, field)));
        }
      }
      CheckDriverName(drivers.At(i)["name"], api::Child(path, "name"), causes);
      const json::Value& node = drivers.At(i)["nodeID"];
      if (node.AsString().size() > kLongestNodeId) {
        causes.push_back(
            api::InvalidField(api::Child(path, "nodeID"), node, "must be 256 characters or less"));
      }
      for (const json::Value& key : drivers.At(i)["topologyKeys"].Items()) {
        CheckProblems(key, api::LabelKeyProblems(key.AsString()), path, causes);
      }
      if (!names.insert(drivers.At(i)["name"].ToString()).second) {
        causes.push_back(api::DuplicateField(api::Child(path, "name"), drivers.At(i)["name"]));
      }
    }
  }
  // A driver may come and go, but does not change.
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    for (const json::Value& now : object["spec"]["drivers"].Items()) {
      for (const json::Value& before : old["spec"]["drivers"].Items()) {
        if (now["name"] != before["name"]) continue;
        json::Value a = now, b = before;
        a.Erase("allocatable"), b.Erase("allocatable");
        CheckImmutable(a, b, "spec.drivers", causes);
      }
    }
  }
};

class CapacityKind : public KindRules {
 public:
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    CheckProblems(object["storageClassName"],
                  api::Dns1123SubdomainProblems(object["storageClassName"].AsString()),
                  "storageClassName", causes);
    if (object.Has("capacity")) CheckQuantity(object["capacity"], "capacity", causes);
    CheckLabelSelector(object["nodeTopology"], "nodeTopology", causes);
  }
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    for (const char* field : {"nodeTopology", "storageClassName"}) {
      CheckImmutable(object[field], old[field], field, causes);
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> CsiDriverRules() { return std::make_shared<DriverKind>(); }
std::shared_ptr<const KindRules> CsiNodeRules() { return std::make_shared<NodeDriversKind>(); }
std::shared_ptr<const KindRules> CsiCapacityRules() { return std::make_shared<CapacityKind>(); }

}  // namespace coppice::server
