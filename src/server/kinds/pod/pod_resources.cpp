#include <fmt/format.h>

#include "base/quantity.h"
#include "server/kinds/checks.h"
#include "server/kinds/pod/pod_spec.h"

namespace coppice::server {
namespace {

// Native resources can be promised more often than they exist; devices and huge pages cannot.
bool CanBeOvercommitted(std::string_view name) {
  if (name.substr(0, 10) == "hugepages-") return false;
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

bool IsExtended(std::string_view name) {
  return name.find('/') != std::string_view::npos &&
         name.find("kubernetes.io/") == std::string_view::npos && name.substr(0, 9) != "requests.";
}

void CheckQuantities(const json::Value& list, const std::string& path, Causes& causes) {
  for (const json::Member& each : list.Members()) {
    const std::string place = api::Key(path, each.name());
    const auto quantity = base::Quantity::Parse(each.value.AsString());
    if (!quantity) continue;  // Decoding has refused it.
    if (quantity->Sign() < 0) {
      causes.push_back(api::InvalidField(place, each.value, "must be greater than or equal to 0"));
    }
    if (IsExtended(each.name()) && quantity->MilliValue() % 1000 != 0) {
      causes.push_back(api::InvalidField(place, each.value, "must be an integer"));
    }
    if (each.name().find('/') == std::string_view::npos && each.name() != "cpu" &&
        each.name() != "memory" && each.name() != "ephemeral-storage" &&
        each.name().substr(0, 10) != "hugepages-") {
      causes.push_back(api::InvalidField(place, each.name(),
                                         "must be a standard resource type or fully qualified"));
    }
  }
}

}  // namespace

void ValidateResources(const json::Value& resources, const std::string& path, Causes& causes) {
  const json::Value& requests = resources["requests"];
  const json::Value& limits = resources["limits"];
  CheckQuantities(limits, api::Child(path, "limits"), causes);
  CheckQuantities(requests, api::Child(path, "requests"), causes);
  for (const json::Member& request : requests.Members()) {
    const json::Value* limit = limits.Find(request.name());
    if (!limit) {
      if (!CanBeOvercommitted(request.name())) {
        causes.push_back(api::RequiredField(api::Child(path, "limits"),
                                            "Limit must be set for non overcommitable resources"));
      }
      continue;
    }
    const auto wanted = base::Quantity::Parse(request.value.AsString());
    const auto allowed = base::Quantity::Parse(limit->AsString());
    if (!wanted || !allowed) continue;
    const bool exact = !CanBeOvercommitted(request.name());
    if (exact ? *wanted == *allowed : *wanted <= *allowed) continue;
    causes.push_back(api::InvalidField(
        api::Child(path, "requests"), request.value,
        fmt::format("must be {} {} limit of {}", exact ? "equal to" : "less than or equal to",
                    request.name(), limit->AsString())));
  }
}

}  // namespace coppice::server
