#include "server/core/admission_chain.h"

#include <algorithm>

namespace coppice::server {
namespace {

// More than is told (respond.cpp): an object can have a hundred thousand unknown fields.
constexpr size_t kMaxKeptWarningBytes = 8192;

}  // namespace

void Remarks::Warn(std::string text) {
  size_t bytes = 0;
  for (const std::string& told : warnings_) {
    if (told == text) return;
    bytes += told.size();
  }
  if (bytes < kMaxKeptWarningBytes) warnings_.push_back(std::move(text));
}

void Remarks::Annotate(const std::string& key, const std::string& value) {
  const auto [entry, added] = annotations_.emplace(key, value);
  if (!added && entry->second != value) entry->second += ", " + value;
}

void AdmissionChain::Add(std::shared_ptr<AdmissionPlugin> plugin, Stage stage) {
  const auto behind =
      std::upper_bound(entries_.begin(), entries_.end(), stage,
                       [](Stage wanted, const Entry& each) { return wanted < each.stage; });
  entries_.insert(behind, {stage, std::move(plugin)});
}

base::Status AdmissionChain::Mutate(const AdmissionRequest& request, json::Value& object) const {
  size_t last_change = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    AdmissionPlugin& plugin = *entries_[i].plugin;
    if (!plugin.Handles(request)) continue;
    const json::Value before = object;
    COPPICE_TRY(plugin.Mutate(request, object));
    if (!before.SameAs(object) && !(before == object)) last_change = i;
  }
  for (size_t i = 0; i < last_change; ++i) {
    AdmissionPlugin& plugin = *entries_[i].plugin;
    if (plugin.Handles(request)) COPPICE_TRY(plugin.Mutate(request, object));
  }
  return {};
}

base::Status AdmissionChain::Validate(const AdmissionRequest& request) const {
  for (const auto& [stage, plugin] : entries_) {
    if (plugin->Handles(request)) COPPICE_TRY(plugin->Validate(request));
  }
  return {};
}

}  // namespace coppice::server
