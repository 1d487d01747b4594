#include "server/webhooks/service_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "http/own_addresses.h"
#include "kube/object.h"
#include "server/model/ip_address.h"
#include "server/webhooks/pod_slices.h"

namespace coppice::server {
namespace {

using MayDial = std::function<bool(std::string_view)>;

base::Result<const json::Value*> PortOf(const json::Value& service, int64_t port) {
  for (const json::Value& each : service["spec"]["ports"].Items()) {
    if (each["port"].AsInt() == port) return &each;
  }
  return base::Unavailable(
      fmt::format("no service port {} found for service \"{}\"", port, kube::Name(service)));
}

bool HasAddress(const json::Value& list, std::string_view field, const IpAddress& address) {
  const auto items = list.Items();
  return std::any_of(items.begin(), items.end(), [&](const json::Value& each) {
    return IpAddress::Parse(each[field].AsString()) == address;
  });
}

// Whether any object of `storage` whose name has this prefix has the address in its status.
bool AnyHas(const store::Store& store, std::string_view storage, const std::string& prefix,
            const char* list, std::string_view field, const IpAddress& address) {
  const auto found = store.List(storage, {prefix});
  if (!found) return false;
  return std::ranges::any_of(found->items, [&](const store::VersionPtr& each) {
    const json::Value& status = each->value()["status"];
    const std::string_view phase = status["phase"].AsString();
    return phase != "Succeeded" && phase != "Failed" && HasAddress(status[list], field, address);
  });
}

bool IsOfThisMachine(const IpAddress& address) {
  return std::ranges::any_of(http::OwnAddresses(), [&](const std::string& own) {
    return IpAddress::Parse(own) == address;
  });
}

bool IsVouchedFor(const store::Store& store, const std::string& ns, std::string_view text) {
  const std::optional<IpAddress> address = IpAddress::Parse(text);
  if (!address || address->IsUnspecified() || address->IsLoopback() || address->IsLinkLocal()) {
    return false;
  }
  return IsOfThisMachine(*address) || AnyHas(store, "/pods", ns + "/", "podIPs", "ip", *address) ||
         AnyHas(store, "/nodes", "", "addresses", "address", *address);
}

std::string HostPort(std::string_view host, int64_t port) {
  const bool is_v6 = host.find(':') != std::string_view::npos;
  return is_v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string FromSlice(const json::Value& slice, std::string_view port_name,
                      const MayDial& may_dial) {
  for (const json::Value& port : slice["ports"].Items()) {
    if (port["name"].AsString() != port_name || !port.Has("port")) continue;
    for (const json::Value& endpoint : slice["endpoints"].Items()) {
      const std::string_view address = endpoint["addresses"].At(0).AsString();
      if (endpoint["conditions"]["ready"].AsBool(true) && may_dial(address)) {
        return HostPort(address, port["port"].AsInt());
      }
    }
  }
  return "";
}

std::string FromEndpoints(const json::Value& endpoints, std::string_view port_name,
                          const MayDial& may_dial) {
  for (const json::Value& subset : endpoints["subsets"].Items()) {
    for (const json::Value& port : subset["ports"].Items()) {
      if (port["name"].AsString() != port_name) continue;
      for (const json::Value& address : subset["addresses"].Items()) {
        const std::string_view ip = address["ip"].AsString();
        if (may_dial(ip)) return HostPort(ip, port["port"].AsInt());
      }
    }
  }
  return "";
}

std::vector<json::Value> SlicesOf(const store::Store& store, const json::Value& service) {
  std::vector<json::Value> slices;
  const auto all =
      store.List("discovery.k8s.io/endpointslices", {std::string(kube::Namespace(service)) + "/"});
  if (!all) return slices;
  for (const store::VersionPtr& slice : all->items) {
    if (kube::Label(slice->value(), "kubernetes.io/service-name") == kube::Name(service)) {
      slices.push_back(slice->value());
    }
  }
  return slices;
}

std::string FindEndpoint(const store::Store& store, const json::Value& service,
                         const json::Value& port) {
  const std::string ns(kube::Namespace(service));
  const std::string_view port_name = port["name"].AsString();
  const MayDial may_dial = [&](std::string_view ip) { return IsVouchedFor(store, ns, ip); };
  std::vector<json::Value> slices = SlicesOf(store, service);
  const store::VersionPtr endpoints =
      store.Get("/endpoints", ns + "/" + std::string(kube::Name(service)));
  if (slices.empty() && endpoints) return FromEndpoints(endpoints->value(), port_name, may_dial);
  if (slices.empty()) slices = SlicesOfPods(store, service, port);
  for (const json::Value& slice : slices) {
    std::string address = FromSlice(slice, port_name, may_dial);
    if (!address.empty()) return address;
  }
  return "";
}

}  // namespace

base::Result<std::string> ServiceAddress(const store::Store& store, const json::Value& reference) {
  const std::string ns = reference["namespace"].ToString(), name = reference["name"].ToString();
  const store::VersionPtr service = store.Get("/services", ns + "/" + name);
  if (!service) return base::NotFound(fmt::format("service \"{}\" not found", name));
  const std::string_view type = service->value()["spec"]["type"].AsString();
  if (type == "ExternalName") {
    return base::Unavailable(fmt::format("unsupported service type \"{}\"", type));
  }
  COPPICE_ASSIGN(const json::Value* const port,
                 PortOf(service->value(), reference["port"].AsInt(443)));
  std::string address = FindEndpoint(store, service->value(), *port);
  if (!address.empty()) return address;
  return base::Unavailable(fmt::format("no endpoints available for service \"{}\"", name));
}

}  // namespace coppice::server
