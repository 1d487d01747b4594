#include <fmt/format.h>

#include <algorithm>

#include "server/printers/cells.h"

namespace coppice::server {
namespace {

Cells Service(Object o, base::Time now) {
  Object spec = o["spec"];
  std::string ports;
  for (const json::Value& port : spec["ports"].Items()) {
    if (!ports.empty()) ports += ",";
    ports += std::to_string(port["port"].AsInt());
    if (port["nodePort"].AsInt() > 0) ports += ":" + std::to_string(port["nodePort"].AsInt());
    ports += "/" + port["protocol"].ToString("TCP");
  }
  std::string external = Join(spec["externalIPs"]);
  if (spec["type"].AsString() == "LoadBalancer" && external.empty()) external = "<pending>";
  if (spec["type"].AsString() == "ExternalName") external = spec["externalName"].ToString();
  return {
      o["metadata"]["name"], spec["type"], OrNone(spec["clusterIP"].ToString()), OrNone(external),
      OrNone(ports),         Age(o, now),  LabelsText(spec["selector"])};
}

// The first three, and how many there are besides.
std::string Few(const std::vector<std::string>& all, const char* otherwise) {
  constexpr size_t kShown = 3;
  if (all.empty()) return otherwise;
  const std::vector<std::string> shown(all.begin(), all.begin() + std::min(all.size(), kShown));
  std::string text = fmt::format("{}", fmt::join(shown, ","));
  if (all.size() > kShown) text += fmt::format(" + {} more...", all.size() - kShown);
  return text;
}

std::string EndpointsText(Object subsets) {
  std::vector<std::string> all;
  for (const json::Value& subset : subsets.Items()) {
    const auto addresses = subset["addresses"].Items();
    if (subset["ports"].empty()) {
      for (const json::Value& address : addresses) all.push_back(address["ip"].ToString());
    }
    for (const json::Value& port : subset["ports"].Items()) {
      for (const json::Value& address : addresses) {
        all.push_back(fmt::format("{}:{}", address["ip"].AsString(), port["port"].AsInt()));
      }
    }
  }
  return Few(all, "<none>");
}

Cells Endpoints(Object o, base::Time now) {
  return {NameOf(o), EndpointsText(o["subsets"]), Age(o, now)};
}

Cells EndpointSlice(Object o, base::Time now) {
  std::vector<std::string> ports, addresses;
  for (const json::Value& port : o["ports"].Items()) {
    ports.push_back(port["port"].IsInt() ? std::to_string(port["port"].AsInt())
                                         : port["name"].ToString("*"));
  }
  for (const json::Value& endpoint : o["endpoints"].Items()) {
    for (const json::Value& address : endpoint["addresses"].Items()) {
      addresses.push_back(address.ToString());
    }
  }
  return {NameOf(o), o["addressType"], Few(ports, "<unset>"), Few(addresses, "<unset>"),
          Age(o, now)};
}

std::string HostsText(Object rules) {
  std::vector<std::string> hosts;
  for (const json::Value& rule : rules.Items()) {
    if (!rule["host"].AsString().empty()) hosts.push_back(rule["host"].ToString());
  }
  return Few(hosts, "*");
}

std::string BalancerText(Object status) {
  std::vector<std::string> addresses;
  for (const json::Value& ingress : status["loadBalancer"]["ingress"].Items()) {
    addresses.push_back(ingress["ip"].ToString(ingress["hostname"].AsString()));
  }
  return fmt::format("{}", fmt::join(addresses, ","));
}

Cells Ingress(Object o, base::Time now) {
  return {NameOf(o),
          o["spec"]["ingressClassName"].ToString("<none>"),
          HostsText(o["spec"]["rules"]),
          BalancerText(o["status"]),
          o["spec"]["tls"].empty() ? "80" : "80, 443",
          Age(o, now)};
}

Cells IngressClass(Object o, base::Time now) {
  Object parameters = o["spec"]["parameters"];
  std::string text = "<none>";
  if (parameters.IsObject()) {
    text = parameters["kind"].ToString();
    if (!parameters["apiGroup"].AsString().empty()) text += "." + parameters["apiGroup"].ToString();
    text += "/" + parameters["name"].ToString();
  }
  return {NameOf(o), o["spec"]["controller"], text, Age(o, now)};
}

Cells NetworkPolicy(Object o, base::Time now) {
  return {NameOf(o), SelectorText(o["spec"]["podSelector"]), Age(o, now)};
}

}  // namespace

Printers NetworkPrinters() {
  // clang-format off
  return {
      {"/services", {Columns("Name|Type|Cluster-IP|External-IP|Port(s)|Age|!Selector"), Service}},
      {"/endpoints", {Columns("Name|Endpoints|Age"), Endpoints}},
      {"discovery.k8s.io/endpointslices",
       {Columns("Name|AddressType|Ports|Endpoints|Age"), EndpointSlice}},
      {"networking.k8s.io/ingresses", {Columns("Name|Class|Hosts|Address|Ports|Age"), Ingress}},
      {"networking.k8s.io/ingressclasses",
       {Columns("Name|Controller|Parameters|Age"), IngressClass}},
      {"networking.k8s.io/networkpolicies", {Columns("Name|Pod-Selector|Age"), NetworkPolicy}},
  };
  // clang-format on
}

}  // namespace coppice::server
