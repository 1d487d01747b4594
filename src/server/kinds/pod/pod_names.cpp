#include "server/kinds/checks/checks.h"
#include "server/kinds/pod/pod_parts.h"

namespace coppice::server {
namespace {

using api::Child;
using api::Index;

constexpr size_t kMaxNameServers = 3;

void CheckAliases(const json::Value& aliases, const std::string& path, Causes& causes) {
  for (size_t i = 0; i < aliases.size(); ++i) {
    const std::string place = Index(path, i);
    CheckAddress(aliases.At(i)["ip"].AsString(), Child(place, "ip"), causes);
    const json::Value& names = aliases.At(i)["hostnames"];
    for (size_t n = 0; n < names.size(); ++n) {
      CheckProblems(names.At(n), api::Dns1123SubdomainProblems(names.At(n).AsString()),
                    Index(Child(place, "hostnames"), n), causes);
    }
  }
}

void CheckDns(const json::Value& spec, const std::string& path, Causes& causes) {
  const json::Value& config = spec["dnsConfig"];
  const json::Value& servers = config["nameservers"];
  const std::string place = Child(path, "nameservers");
  if (spec["dnsPolicy"].AsString() == "None") {
    if (!config.IsObject()) {
      causes.push_back(
          api::RequiredField(path, "must provide `dnsConfig` when `dnsPolicy` is None"));
    } else if (servers.empty()) {
      causes.push_back(api::RequiredField(
          place, "must provide at least one DNS nameserver when `dnsPolicy` is None"));
    }
  }
  if (servers.size() > kMaxNameServers) {
    causes.push_back(api::InvalidField(place, servers, "must not have more than 3 nameservers"));
  }
  for (size_t i = 0; i < servers.size(); ++i) {
    CheckAddress(servers.At(i), Index(place, i), causes);
  }
  const json::Value& options = config["options"];
  for (size_t i = 0; i < options.size(); ++i) {
    if (!options.At(i)["name"].AsString().empty()) continue;
    causes.push_back(api::RequiredField(Index(Child(path, "options"), i), "must not be empty"));
  }
}

}  // namespace

void ValidateHostNames(const json::Value& spec, const std::string& path, Causes& causes) {
  for (const char* field : {"hostname", "subdomain"}) {
    const json::Value& name = spec[field];
    if (name.AsString().empty()) continue;
    CheckProblems(name, api::Dns1123LabelProblems(name.AsString()), Child(path, field), causes);
  }
  CheckAliases(spec["hostAliases"], Child(path, "hostAliases"), causes);
  CheckDns(spec, Child(path, "dnsConfig"), causes);
}

}  // namespace coppice::server
