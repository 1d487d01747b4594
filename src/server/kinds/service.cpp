#include <fmt/format.h>

#include <set>

#include "kube/object.h"
#include "server/kinds/checks.h"
#include "server/kinds/kinds.h"

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

class Rules : public KindRules {
 public:
  NameForm name_form(std::string_view kubernetes_version) const override {
    return kubernetes_version == "1.35" ? NameForm::kDns1035Label : NameForm::kDns1123Label;
  }
  std::vector<std::string_view> SelectableFields() const override {
    return {"spec.clusterIP", "spec.type"};
  }

  void Default(json::Value& service) const override {
    json::Value& spec = service.Mutable("spec");
    spec.SetDefault("type", "ClusterIP");
    spec.SetDefault("sessionAffinity", "None");
    if (json::Value* ports = spec.FindMutable("ports")) {
      for (json::Value& port : ports->MutableItems()) {
        port.SetDefault("protocol", "TCP");
        const json::Value& target = port["targetPort"];
        const bool named = !target.AsString().empty() || target.AsInt() != 0;
        if (!named) port.Set("targetPort", port["port"]);
      }
    }
    if (spec["type"].AsString() == "ExternalName") return;
    spec.SetDefault("internalTrafficPolicy", "Cluster");
    spec.SetDefault("ipFamilies", json::Value::Array({"IPv4"}));
    spec.SetDefault("ipFamilyPolicy", "SingleStack");
    const std::string_view type = spec["type"].AsString();
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
    const json::Value& ports = spec["ports"];
    for (size_t i = 0; i < ports.size(); ++i) {
      const std::string path = api::Index("spec.ports", i);
      CheckPort(ports.At(i)["port"], api::Child(path, "port"), causes);
      const json::Value& target = ports.At(i)["targetPort"];
      if (target.IsInt()) CheckPort(target, api::Child(path, "targetPort"), causes);
      if (ports.size() > 1 && ports.At(i)["name"].AsString().empty()) {
        causes.push_back(api::RequiredField(api::Child(path, "name")));
      }
      CheckOneOf(ports.At(i)["protocol"], {"SCTP", "TCP", "UDP"}, api::Child(path, "protocol"),
                 causes);
    }
  }

  void ValidateUpdate(const RuleContext&, const json::Value& service, const json::Value& old,
                      Causes& causes) const override {
    const json::Value& now = service["spec"]["clusterIP"];
    const json::Value& before = old["spec"]["clusterIP"];
    if (now == before || before.AsString().empty() || !NeedsAddress(service["spec"])) return;
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

std::shared_ptr<const KindRules> ServiceRules() { return std::make_shared<Rules>(); }

}  // namespace coppice::server
