#include <fmt/format.h>

#include <optional>

#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"
#include "server/model/ip_address.h"

// Endpoints and EndpointSlice.
namespace coppice::server {
namespace {

// Users who may write Endpoints must not direct others to addresses that only this machine or its
// network reaches.
void CheckEndpointAddress(const json::Value& address, const std::string& path, Causes& causes) {
  const std::optional<IpAddress> parsed = IpAddress::Parse(address.AsString());
  if (!parsed) return CheckAddress(address, path, causes);
  const auto refuse = [&](bool found, const std::string& why) {
    if (found) causes.push_back(api::InvalidField(path, address, why));
  };
  refuse(parsed->IsUnspecified(), fmt::format("may not be unspecified ({})", address.AsString()));
  refuse(parsed->IsLoopback(), "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  refuse(parsed->IsLinkLocal(), "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  refuse(parsed->IsLinkLocalMulticast(),
         "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
}

class EndpointsKind : public KindRules {
 public:
  void Default(json::Value& object) const override {
    json::Value* subsets = object.FindMutable("subsets");
    if (!subsets || !subsets->IsArray()) return;
    for (json::Value& subset : subsets->MutableItems()) {
      json::Value* ports = subset.FindMutable("ports");
      if (!ports || !ports->IsArray()) continue;
      for (json::Value& port : ports->MutableItems()) port.SetDefault("protocol", "TCP");
    }
  }
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const json::Value& subsets = object["subsets"];
    for (size_t i = 0; i < subsets.size(); ++i) {
      const std::string path = api::Index("subsets", i);
      if (subsets.At(i)["addresses"].empty() && subsets.At(i)["notReadyAddresses"].empty()) {
        causes.push_back(
            api::RequiredField(path, "must specify `addresses` or `notReadyAddresses`"));
      }
      for (const char* list : {"addresses", "notReadyAddresses"}) {
        const json::Value& addresses = subsets.At(i)[list];
        for (size_t a = 0; a < addresses.size(); ++a) {
          CheckEndpointAddress(addresses.At(a)["ip"], api::Index(api::Child(path, list), a) + ".ip",
                               causes);
        }
      }
      const json::Value& ports = subsets.At(i)["ports"];
      for (size_t p = 0; p < ports.size(); ++p) {
        CheckPort(ports.At(p)["port"], api::Index(api::Child(path, "ports"), p) + ".port", causes);
      }
    }
  }
};

class EndpointSliceKind : public KindRules {
 public:
  bool HasGeneration() const override { return true; }

  void Default(json::Value& object) const override {
    json::Value* ports = object.FindMutable("ports");
    if (!ports || !ports->IsArray()) return;
    for (json::Value& port : ports->MutableItems()) {
      port.SetDefault("name", "").SetDefault("protocol", "TCP");
    }
  }
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    CheckOneOf(object["addressType"], {"FQDN", "IPv4", "IPv6"}, "addressType", causes);
    const json::Value& endpoints = object["endpoints"];
    for (size_t i = 0; i < endpoints.size(); ++i) {
      const json::Value& addresses = endpoints.At(i)["addresses"];
      const std::string path = api::Index("endpoints", i) + ".addresses";
      if (addresses.empty()) {
        causes.push_back(api::RequiredField(path, "must contain at least 1 address"));
      }
      if (object["addressType"].AsString() == "FQDN") continue;
      for (size_t a = 0; a < addresses.size(); ++a) {
        CheckEndpointAddress(addresses.At(a), api::Index(path, a), causes);
      }
    }
  }
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    CheckImmutable(object["addressType"], old["addressType"], "addressType", causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> EndpointsRules() { return std::make_shared<EndpointsKind>(); }
std::shared_ptr<const KindRules> EndpointSliceRules() {
  return std::make_shared<EndpointSliceKind>();
}

}  // namespace coppice::server
