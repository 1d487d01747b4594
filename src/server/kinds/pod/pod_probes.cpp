#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "server/kinds/checks/checks.h"
#include "server/kinds/pod/pod_parts.h"

namespace coppice::server {
namespace {

using api::Child;

void CheckHttpGet(const json::Value& get, const std::string& path, Causes& causes) {
  CheckPortReference(get["port"], Child(path, "port"), causes);
  CheckOneOf(get["scheme"], {"HTTP", "HTTPS"}, Child(path, "scheme"), causes);
  for (const json::Value& header : get["httpHeaders"].Items()) {
    const std::string_view name = header["name"].AsString();
    const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '-'; };
    if (!name.empty() && std::ranges::all_of(name, allowed)) continue;
    causes.push_back(api::InvalidField(
        Child(path, "httpHeaders"), name,
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', "
        "regex used for validation is '[-A-Za-z0-9]+')"));
  }
}

void CheckHandler(std::string_view type, const json::Value& handler, const std::string& path,
                  Causes& causes) {
  if (type == "exec" && handler["command"].empty()) {
    causes.push_back(api::RequiredField(Child(path, "command")));
  }
  if (type == "httpGet") CheckHttpGet(handler, path, causes);
  if (type == "tcpSocket") CheckPortReference(handler["port"], Child(path, "port"), causes);
  if (type == "grpc") CheckPort(handler["port"], Child(path, "port"), causes);
}

// Exactly one of the types must be there.
void CheckHandlers(const json::Value& action, std::initializer_list<const char*> types,
                   const std::string& path, Causes& causes) {
  bool found = false;
  for (const char* type : types) {
    if (!action.Has(type)) continue;
    const std::string place = Child(path, type);
    if (found) {
      causes.push_back(api::ForbiddenField(place, "may not specify more than 1 handler type"));
    } else {
      CheckHandler(type, action[type], place, causes);
    }
    found = true;
  }
  if (!found) causes.push_back(api::RequiredField(path, "must specify a handler type"));
}

void CheckProbe(const json::Value& probe, const std::string& path, Causes& causes) {
  CheckHandlers(probe, {"exec", "httpGet", "tcpSocket", "grpc"}, path, causes);
  for (const char* field : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                            "successThreshold", "failureThreshold"}) {
    CheckNotNegative(probe[field], Child(path, field), causes);
  }
  const json::Value& grace = probe["terminationGracePeriodSeconds"];
  if (!grace.IsInt() || grace.AsInt() > 0) return;
  causes.push_back(api::InvalidField(Child(path, "terminationGracePeriodSeconds"), grace,
                                     "must be greater than 0"));
}

}  // namespace

void CheckPortName(const json::Value& name, const std::string& path, Causes& causes) {
  const std::string_view text = name.AsString();
  const auto complain = [&](const char* what) {
    causes.push_back(api::InvalidField(path, name, what));
  };
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_allowed = [&](char c) {
    return is_letter(c) || c == '-' || (c >= '0' && c <= '9');
  };
  if (text.size() > 15) complain("must be no more than 15 characters");
  if (!std::ranges::all_of(text, is_allowed)) {
    complain("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!std::ranges::any_of(text, is_letter)) complain("must contain at least one letter (a-z)");
  if (text.find("--") != text.npos) complain("must not contain consecutive hyphens");
  if (!text.empty() && (text.front() == '-' || text.back() == '-')) {
    complain("must not begin or end with a hyphen");
  }
}

void CheckPortReference(const json::Value& port, const std::string& path, Causes& causes) {
  if (port.IsString()) {
    CheckPortName(port, path, causes);
  } else {
    CheckPort(port.AsInt(), path, causes);
  }
}

void ValidateProbes(const json::Value& container, int64_t grace, const std::string& path,
                    Causes& causes) {
  for (const char* name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    const json::Value& probe = container[name];
    if (!probe.IsObject()) continue;
    const std::string place = Child(path, name);
    CheckProbe(probe, place, causes);
    const bool ends_it = std::string_view(name) != "readinessProbe";
    if (ends_it && probe["successThreshold"].AsInt() != 1) {
      causes.push_back(api::InvalidField(Child(place, "successThreshold"),
                                         probe["successThreshold"].AsInt(), "must be 1"));
    }
    if (!ends_it && probe.Has("terminationGracePeriodSeconds")) {
      causes.push_back(api::InvalidField(Child(place, "terminationGracePeriodSeconds"),
                                         probe["terminationGracePeriodSeconds"],
                                         "must not be set for readinessProbes"));
    }
  }
  for (const char* hook : {"postStart", "preStop"}) {
    const json::Value& handler = container["lifecycle"][hook];
    if (!handler.IsObject()) continue;
    const std::string place = Child(Child(path, "lifecycle"), hook);
    CheckHandlers(handler, {"exec", "httpGet", "tcpSocket", "sleep"}, place, causes);
    const int64_t seconds = handler["sleep"]["seconds"].AsInt();
    if (seconds >= 0 && seconds <= grace) continue;
    causes.push_back(api::InvalidField(
        Child(place, "sleep"), seconds,
        fmt::format("must be non-negative and less than terminationGracePeriodSeconds ({})",
                    grace)));
  }
}

}  // namespace coppice::server
