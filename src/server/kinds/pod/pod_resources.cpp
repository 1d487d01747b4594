#include <fmt/format.h>

#include "base/quantity.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/pod/pod_spec.h"

namespace coppice::server {
namespace {

// Native resources can be promised more often than they exist; devices and huge pages cannot.
bool IsNative(std::string_view name) {
  return name.find('/') == name.npos || name.find("kubernetes.io/") != name.npos;
}

bool CanBeOvercommitted(std::string_view name) {
  return IsNative(name) && !name.starts_with("hugepages-");
}

bool IsExtended(std::string_view name) { return !IsNative(name) && !name.starts_with("requests."); }

void CheckResourceName(std::string_view name, const std::string& path, Causes& causes) {
  const json::Value shown = name;
  if (name.find('/') != name.npos) {
    CheckProblems(shown, api::LabelKeyProblems(name), path, causes);
    if (IsNative(name)) return;
    const bool extended = !name.starts_with("requests.") &&
                          api::LabelKeyProblems(fmt::format("requests.{}", name)).empty();
    if (extended) return;
    causes.push_back(
        api::InvalidField(path, shown, "doesn't follow extended resource name standard"));
    return;
  }
  const bool of_containers = name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
                             name.starts_with("hugepages-");
  if (of_containers) return;
  if (name != "storage") {
    causes.push_back(
        api::InvalidField(path, shown, "must be a standard resource type or fully qualified"));
  }
  causes.push_back(api::InvalidField(path, shown, "must be a standard resource for containers"));
}

void CheckHugePages(std::string_view name, const json::Value& value, const base::Quantity& quantity,
                    const std::string& path, Causes& causes) {
  const auto page = base::Quantity::Parse(name.substr(10));
  if (!page || page->Value() <= 0 || quantity.Value() % page->Value() == 0) return;
  causes.push_back(api::InvalidField(
      path, value,
      fmt::format("{} is not positive integer multiple of {}", value.AsString(), name)));
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
    CheckResourceName(each.name(), place, causes);
    if (each.name().starts_with("hugepages-")) {
      CheckHugePages(each.name(), each.value, *quantity, place, causes);
    }
  }
}

// Huge pages also need cpu or memory.
void CheckNotHugePagesAlone(const json::Value& limits, const json::Value& requests,
                            const std::string& path, Causes& causes) {
  bool pages = false, others = false;
  for (const json::Value* list : {&limits, &requests}) {
    for (const json::Member& each : list->Members()) {
      pages = pages || each.name().starts_with("hugepages-");
      others = others || each.name() == "cpu" || each.name() == "memory";
    }
  }
  if (pages && !others) {
    causes.push_back(api::ForbiddenField(path, "HugePages require cpu or memory"));
  }
}

}  // namespace

void ValidatePodResources(const json::Value& resources, const std::string& path, Causes& causes) {
  for (const char* list : {"limits", "requests"}) {
    for (const json::Member& each : resources[list].Members()) {
      if (each.name().starts_with("hugepages-")) continue;
      CheckOneOf(each.key, {"cpu", "hugepages-", "memory"},
                 api::Key(api::Child(path, list), each.name()), causes);
    }
  }
  if (resources["claims"].empty()) return;
  causes.push_back(api::ForbiddenField(api::Child(path, "claims"),
                                       "claims may not be set for Resources at pod-level"));
}

void ValidateClaimUse(const json::Value& claims, const std::set<std::string>& known,
                      const std::string& path, Causes& causes) {
  std::set<std::string> used;
  for (size_t i = 0; i < claims.size(); ++i) {
    const std::string name = claims.At(i)["name"].ToString();
    const std::string place = api::Index(path, i);
    if (name.empty()) {
      causes.push_back(api::RequiredField(place));
    } else if (!used.insert(name + "/" + claims.At(i)["request"].ToString()).second) {
      causes.push_back(api::DuplicateField(place, claims.At(i)["name"]));
    } else if (!known.contains(name)) {
      base::FieldCause cause = api::NotFoundField(place, claims.At(i)["name"]);
      cause.message += ": must be one of the names in pod.spec.resourceClaims";
      cause.message +=
          known.empty() ? " which is empty" : fmt::format(": {}", fmt::join(known, ", "));
      causes.push_back(std::move(cause));
    }
  }
}

void ValidateResources(const json::Value& resources, const std::string& path, Causes& causes) {
  const json::Value& requests = resources["requests"];
  const json::Value& limits = resources["limits"];
  CheckQuantities(limits, api::Child(path, "limits"), causes);
  CheckQuantities(requests, api::Child(path, "requests"), causes);
  CheckNotHugePagesAlone(limits, requests, path, causes);
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
