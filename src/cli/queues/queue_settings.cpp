#include "cli/queues/queue_settings.h"

#include <fmt/format.h>

#include <cmath>

#include "api/edit/kai.h"
#include "base/quantity.h"

namespace coppice::cli {
namespace {

// A resource's flag, and how many of the API's units are one of the user's.
struct Unit {
  std::string_view flag;
  double per_one;
  std::string_view example;
};
constexpr Unit kGpuUnits = {"gpu", 1, "8 or 0.5"}, kCpuUnits = {"cpu", 1000, "64 or 500m"},
               kMemoryUnits = {"memory", 1e-6, "512Gi"};

base::Result<double> ParseBound(const std::string& text, const Unit& unit, std::string_view what) {
  if (text == "unlimited" || text == "-1") return -1.0;
  const auto quantity = base::Quantity::Parse(text);
  if (!quantity || quantity->ToDouble() < 0) {
    return base::InvalidArgument(
        fmt::format("--{}-{} \"{}\": use an amount such as {}, or unlimited", unit.flag, what, text,
                    unit.example));
  }
  const double amount = quantity->ToDouble() * unit.per_one;
  return unit.per_one < 1 ? std::ceil(amount) : amount;
}

base::Status PatchResource(const QueueSettings::Resource& settings, const Unit& unit,
                           edit::kai::QueueResource out) {
  if (settings.quota) {
    COPPICE_ASSIGN(const double quota, ParseBound(*settings.quota, unit, "quota"));
    out.set_quota(quota);
  }
  if (settings.limit) {
    COPPICE_ASSIGN(const double limit, ParseBound(*settings.limit, unit, "limit"));
    out.set_limit(limit);
  }
  if (!settings.weight) return {};
  if (*settings.weight < 0) {
    return base::InvalidArgument(fmt::format("--{}-weight: a weight is 0 or more", unit.flag));
  }
  out.set_overQuotaWeight(*settings.weight);
  return {};
}

bool IsEmpty(const QueueSettings::Resource& resource) {
  return !resource.quota && !resource.limit && !resource.weight;
}

}  // namespace

bool QueueSettings::empty() const {
  return !parent && !display_name && !priority && IsEmpty(gpu) && IsEmpty(cpu) && IsEmpty(memory);
}

base::Result<json::Value> QueueSpecPatch(const QueueSettings& settings) {
  json::Value patch = json::Value::Object();
  const edit::kai::QueueSpec spec(patch);
  if (settings.parent) spec.set_parentQueue(*settings.parent);
  if (settings.display_name) spec.set_displayName(*settings.display_name);
  if (settings.priority) spec.set_priority(*settings.priority);
  if (!IsEmpty(settings.gpu)) {
    COPPICE_TRY(PatchResource(settings.gpu, kGpuUnits, spec.resources().gpu()));
  }
  if (!IsEmpty(settings.cpu)) {
    COPPICE_TRY(PatchResource(settings.cpu, kCpuUnits, spec.resources().cpu()));
  }
  if (!IsEmpty(settings.memory)) {
    COPPICE_TRY(PatchResource(settings.memory, kMemoryUnits, spec.resources().memory()));
  }
  return patch;
}

}  // namespace coppice::cli
