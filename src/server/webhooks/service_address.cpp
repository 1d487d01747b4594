#include "server/webhooks/service_address.h"

#include <fmt/format.h>

namespace coppice::server {
namespace {

// The name of the Service's port with this number.
std::string PortName(const json::Value& service, int64_t port) {
  for (const json::Value& each : service["spec"]["ports"].Items()) {
    if (each["port"].AsInt() == port) return each["name"].ToString();
  }
  return "";
}

std::string FromEndpoints(const json::Value& endpoints, const std::string& port_name) {
  for (const json::Value& subset : endpoints["subsets"].Items()) {
    if (subset["addresses"].empty()) continue;
    for (const json::Value& port : subset["ports"].Items()) {
      if (port["name"].AsString() != port_name) continue;
      return fmt::format("{}:{}", subset["addresses"].At(0)["ip"].AsString(), port["port"].AsInt());
    }
  }
  return "";
}

}  // namespace

base::Result<std::string> ServiceAddress(store::Store& store, const json::Value& reference) {
  const std::string key = reference["namespace"].ToString() + "/" + reference["name"].ToString();
  const int64_t port = reference["port"].AsInt(443);
  const store::VersionPtr service = store.Get("/services", key);
  if (!service) {
    return base::NotFound(fmt::format("service \"{}\" not found", reference["name"].AsString()));
  }
  const json::Value& spec = service->value()["spec"];
  if (const store::VersionPtr endpoints = store.Get("/endpoints", key)) {
    const std::string address = FromEndpoints(endpoints->value(), PortName(service->value(), port));
    if (!address.empty()) return address;
  }
  const char* host = spec["type"].AsString() == "ExternalName" ? "externalName" : "clusterIP";
  return fmt::format("{}:{}", spec[host].AsString(), port);
}

}  // namespace coppice::server
