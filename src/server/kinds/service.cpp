#include <fmt/format.h>

#include <set>

#include "kube/object.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/checks/selectors.h"
#include "server/kinds/pod/pod_parts.h"

namespace coppice::server {
namespace {

constexpr int kFirstNodePort = 30000;
constexpr int kLastNodePort = 32767;

bool NeedsAddress(const json::Value& spec) {
  const std::string_view type = spec["type"].AsString();
  return type != "ExternalName" && spec["clusterIP"].AsString() != "None";
}

// Addresses and node ports that other services hold.
struct Taken {
  std::set<std::string> addresses;
  std::set<int64_t> ports;
};

Taken TakenBy(const store::Store& store, std::string_view uid) {
  Taken taken;
  const auto services = store.List("/services", {});
  if (!services) return taken;
  for (const store::VersionPtr& service : services->items) {
    if (kube::Uid(service->value()) == uid) continue;
    const json::Value& spec = service->value()["spec"];
    taken.addresses.insert(spec["clusterIP"].ToString());
    for (const json::Value& port : spec["ports"].Items())
      taken.ports.insert(port["nodePort"].AsInt());
  }
  return taken;
}

// The first free address of 10.96.0.0/12, beginning behind the one of the API itself.
std::string FreeAddress(const std::set<std::string>& taken) {
  for (uint32_t offset = 2; offset < (1u << 20) - 1; ++offset) {
    std::string address =
        fmt::format("10.{}.{}.{}", 96 + (offset >> 16), (offset >> 8) & 255, offset & 255);
    if (!taken.count(address)) return address;
  }
  return "";
}

void Allocate(const RuleContext& context, json::Value& service) {
  json::Value& spec = service.Mutable("spec");
  const std::string_view type = spec["type"].AsString();
  const bool address = NeedsAddress(spec) && spec["clusterIP"].AsString().empty();
  const bool ports = type == "NodePort" || type == "LoadBalancer";
  if (!address && !ports) return;
  Taken taken = TakenBy(context.store, kube::Uid(service));
  if (address) spec.Set("clusterIP", FreeAddress(taken.addresses));
  if (!ports || !spec.Has("ports")) return;
  int next = kFirstNodePort;
  for (json::Value& port : spec.Mutable("ports").MutableItems()) {
    if (port["nodePort"].AsInt() != 0) continue;
    while (next < kLastNodePort && taken.ports.count(next)) ++next;
    port.Set("nodePort", next++);
  }
}

// Reached from outside of the cluster.
bool IsOutside(const json::Value& spec) {
  return spec["type"].AsString() == "NodePort" || spec["type"].AsString() == "LoadBalancer";
}

void CheckOnePort(const json::Value& port, bool several, const std::string& path, Causes& causes) {
  CheckPort(port["port"], api::Child(path, "port"), causes);
  const json::Value& target = port["targetPort"];
  if (target.IsInt()) CheckPort(target, api::Child(path, "targetPort"), causes);
  if (target.IsString()) CheckPortName(target, api::Child(path, "targetPort"), causes);
  const std::string_view name = port["name"].AsString();
  if (several && name.empty()) causes.push_back(api::RequiredField(api::Child(path, "name")));
  if (!name.empty()) {
    CheckProblems(port["name"], api::Dns1123LabelProblems(name), api::Child(path, "name"), causes);
  }
  CheckOneOf(port["protocol"], {"SCTP", "TCP", "UDP"}, api::Child(path, "protocol"), causes);
}

void CheckPorts(const json::Value& spec, Causes& causes) {
  const json::Value& ports = spec["ports"];
  std::set<std::string> names, numbers;
  for (size_t i = 0; i < ports.size(); ++i) {
    const json::Value& port = ports.At(i);
    const std::string path = api::Index("spec.ports", i);
    CheckOnePort(port, ports.size() > 1, path, causes);
    const std::string name = port["name"].ToString();
    if (!name.empty() && !names.insert(name).second) {
      causes.push_back(api::DuplicateField(api::Child(path, "name"), port["name"]));
    }
    if (!numbers.insert(fmt::format("{}/{}", port["protocol"].AsString(), port["port"].AsInt()))
             .second) {
      causes.push_back(api::DuplicateField(
          path, json::Value::Object({{"port", port["port"]}, {"protocol", port["protocol"]}})));
    }
    if (port["nodePort"].AsInt() != 0 && spec["type"].AsString() == "ClusterIP") {
      causes.push_back(api::ForbiddenField(api::Child(path, "nodePort"),
                                           "may not be used when `type` is 'ClusterIP'"));
    }
  }
}

void CheckTraffic(const json::Value& spec, Causes& causes) {
  const json::Value& outer = spec["externalTrafficPolicy"];
  if (IsOutside(spec)) {
    CheckOneOf(outer, {"Cluster", "Local"}, "spec.externalTrafficPolicy", causes);
  } else if (!outer.IsNull() && spec["externalIPs"].empty()) {
    causes.push_back(api::InvalidField("spec.externalTrafficPolicy", outer,
                                       "may only be set for externally-accessible services"));
  }
  if (spec.Has("internalTrafficPolicy")) {
    CheckOneOf(spec["internalTrafficPolicy"], {"Cluster", "Local"}, "spec.internalTrafficPolicy",
               causes);
  }
  if (spec.Has("loadBalancerClass") && spec["type"].AsString() != "LoadBalancer") {
    causes.push_back(api::ForbiddenField("spec.loadBalancerClass",
                                         "may only be used when `type` is 'LoadBalancer'"));
  }
  const json::Value& sticky = spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"];
  if (sticky.IsInt() && (sticky.AsInt() < 1 || sticky.AsInt() > 86400)) {
    causes.push_back(api::InvalidField("spec.sessionAffinityConfig.clientIP.timeoutSeconds", sticky,
                                       "must be greater than 0 and less than 86400"));
  }
}

void CheckAddresses(const json::Value& spec, Causes& causes) {
  for (size_t i = 0; i < spec["externalIPs"].size(); ++i) {
    CheckAddress(spec["externalIPs"].At(i), api::Index("spec.externalIPs", i), causes);
  }
  const json::Value& ranges = spec["loadBalancerSourceRanges"];
  for (size_t i = 0; i < ranges.size(); ++i) {
    CheckNetwork(ranges.At(i), api::Index("spec.LoadBalancerSourceRanges", i), causes);
  }
  for (size_t i = 0; i < spec["ipFamilies"].size(); ++i) {
    CheckOneOf(spec["ipFamilies"].At(i), {"IPv4", "IPv6"}, api::Index("spec.ipFamilies", i),
               causes);
  }
  if (spec.Has("ipFamilyPolicy")) {
    CheckOneOf(spec["ipFamilyPolicy"], {"PreferDualStack", "RequireDualStack", "SingleStack"},
               "spec.ipFamilyPolicy", causes);
  }
  const json::Value& outer = spec["externalName"];
  if (spec["type"].AsString() == "ExternalName" && !outer.AsString().empty()) {
    std::string_view name = outer.AsString();
    if (name.ends_with('.')) name.remove_suffix(1);
    CheckProblems(outer, api::Dns1123SubdomainProblems(name), "spec.externalName", causes);
  }
}

// Fields of the service's former type that were not set again.
void DropUnused(const json::Value& old, json::Value& spec) {
  const auto drop = [&](std::initializer_list<const char*> fields) {
    for (const char* field : fields) {
      if (spec[field] == old[field]) spec.Erase(field);
    }
  };
  if (IsOutside(old) && !IsOutside(spec)) {
    drop({"externalTrafficPolicy", "allocateLoadBalancerNodePorts", "healthCheckNodePort"});
    std::set<int64_t> had;
    for (const json::Value& port : old["ports"].Items()) had.insert(port["nodePort"].AsInt());
    if (json::Value* ports = spec.FindMutable("ports")) {
      for (json::Value& port : ports->MutableItems()) {
        if (had.contains(port["nodePort"].AsInt())) port.Erase("nodePort");
      }
    }
  }
  if (spec["type"].AsString() == "ExternalName" && old["type"].AsString() != "ExternalName") {
    drop({"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"});
  }
}

class ServiceKind : public KindRules {
 public:
  NameForm name_form(std::string_view kubernetes_version) const override {
    return kubernetes_version == "1.35" ? NameForm::kDns1035Label : NameForm::kDns1123Label;
  }
  std::vector<api::SelectableField> SelectableFields() const override {
    return {"spec.clusterIP", "spec.type"};
  }

  void Default(json::Value& service) const override {
    json::Value& spec = service.Mutable("spec");
    spec.SetDefault("type", "ClusterIP");
    spec.SetDefault("sessionAffinity", "None");
    if (spec["sessionAffinity"].AsString() == "ClientIP") {
      spec.Mutable("sessionAffinityConfig").Mutable("clientIP").SetDefault("timeoutSeconds", 10800);
    }
    if (json::Value* ports = spec.FindMutable("ports")) {
      for (json::Value& port : ports->MutableItems()) {
        port.SetDefault("protocol", "TCP");
        const json::Value& target = port["targetPort"];
        const bool named = !target.AsString().empty() || target.AsInt() != 0;
        if (!named) port.Set("targetPort", port["port"]);
      }
    }
    const std::string type = spec["type"].ToString();
    if (type == "ExternalName") return;
    spec.SetDefault("internalTrafficPolicy", "Cluster");
    spec.SetDefault("ipFamilies", json::Value::Array({"IPv4"}));
    spec.SetDefault("ipFamilyPolicy", "SingleStack");
    if (type == "NodePort" || type == "LoadBalancer")
      spec.SetDefault("externalTrafficPolicy", "Cluster");
    if (type == "LoadBalancer") spec.SetDefault("allocateLoadBalancerNodePorts", true);
  }

  base::Status PrepareForCreate(const RuleContext& context, json::Value& service) const override {
    Allocate(context, service);
    SetAddresses(service);
    service.Mutable("status").Set("loadBalancer", json::Value::Object());
    return {};
  }

  // An update that leaves the address out keeps it.
  base::Status PrepareForUpdate(const RuleContext& context, json::Value& service,
                                const json::Value& old) const override {
    json::Value& spec = service.Mutable("spec");
    if (NeedsAddress(spec) && spec["clusterIP"].AsString().empty() && NeedsAddress(old["spec"])) {
      spec.Set("clusterIP", old["spec"]["clusterIP"]);
    }
    DropUnused(old["spec"], spec);
    Allocate(context, service);
    SetAddresses(service);
    return {};
  }

  void Validate(const RuleContext&, const json::Value& service, Causes& causes) const override {
    const json::Value& spec = service["spec"];
    CheckOneOf(spec["sessionAffinity"], {"ClientIP", "None"}, "spec.sessionAffinity", causes);
    if (spec["type"].AsString() == "ExternalName" && spec["externalName"].AsString().empty()) {
      causes.push_back(api::RequiredField("spec.externalName"));
    }
    if (NeedsAddress(spec)) CheckAddress(spec["clusterIP"], "spec.clusterIPs[0]", causes);
    CheckOneOf(spec["type"], {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}, "spec.type",
               causes);
    const bool headless = spec["clusterIP"].AsString() == "None";
    if (spec["ports"].empty() && !headless && spec["type"].AsString() != "ExternalName") {
      causes.push_back(api::RequiredField("spec.ports"));
    }
    if (headless && (IsOutside(spec))) {
      causes.push_back(api::InvalidField(
          "spec.clusterIPs[0]", "None",
          fmt::format("may not be set to 'None' for {} services", spec["type"].AsString())));
    }
    CheckLabels(spec["selector"], "spec.selector", causes);
    CheckPorts(spec, causes);
    CheckTraffic(spec, causes);
    CheckAddresses(spec, causes);
  }

  void ValidateUpdate(const RuleContext&, const json::Value& service, const json::Value& old,
                      Causes& causes) const override {
    const json::Value& now = service["spec"]["clusterIP"];
    const json::Value& before = old["spec"]["clusterIP"];
    const bool named = service["spec"]["type"].AsString() == "ExternalName" ||
                       old["spec"]["type"].AsString() == "ExternalName";
    if (now == before || before.AsString().empty() || named) return;
    causes.push_back(api::InvalidField("spec.clusterIPs[0]", service["spec"]["clusterIPs"],
                                       "may not change once set"));
  }

 private:
  static void SetAddresses(json::Value& service) {
    json::Value& spec = service.Mutable("spec");
    if (spec["clusterIP"].AsString().empty()) return;
    spec.Set("clusterIPs", json::Value::Array({spec["clusterIP"]}));
  }
};

}  // namespace

std::shared_ptr<const KindRules> ServiceRules() { return std::make_shared<ServiceKind>(); }

}  // namespace coppice::server
