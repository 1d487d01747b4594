#include "operator/initc/requirements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/conditions.h"
#include "api/view/core.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::initc {
namespace {

constexpr std::string_view kFlag = "--podcliques";
constexpr std::string_view kShortFlag = "-p";

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

base::Result<std::pair<std::string, int>> ParseOne(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos) {
    return base::InvalidArgument(
        fmt::format("\"{}\" is not of the form <podclique>:<count>", text));
  }
  const std::string_view name = Trimmed(text.substr(0, colon));
  const std::string_view number = Trimmed(text.substr(colon + 1));
  int count = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
  if (name.empty() || error != std::errc() || end != number.data() + number.size() || count <= 0) {
    return base::InvalidArgument(fmt::format("\"{}\" needs a name and a count above zero", text));
  }
  return std::pair(std::string(name), count);
}

}  // namespace

base::Result<Requirements> ParseRequirements(const std::vector<std::string>& arguments) {
  Requirements requirements;
  for (const std::string& argument : arguments) {
    const std::string_view text = Trimmed(argument);
    if (text.empty()) continue;
    COPPICE_ASSIGN(const auto one, ParseOne(text));
    requirements[one.first] = one.second;
  }
  return requirements;
}

base::Result<Requirements> RequirementsOfContainer(const json::Value& container) {
  std::vector<std::string> values;
  const auto args = view::core::Container(container).args();
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string_view arg = args.At(i);
    if (arg == kFlag || arg == kShortFlag) {
      if (i + 1 < args.size()) values.emplace_back(args.At(++i));
    } else if (arg.starts_with(std::string(kFlag) + "=")) {
      values.emplace_back(arg.substr(kFlag.size() + 1));
    }
  }
  return ParseRequirements(values);
}

void Waiter::Observe(const json::Value& pod) {
  const std::string clique(kube::Label(pod, labels::kPodClique));
  if (!requirements_.contains(clique)) return;
  if (kube::ConditionIs(pod, api::conditions::kPodReady, "True") && !kube::IsDeleting(pod)) {
    ready_[std::string(kube::Name(pod))] = clique;
  } else {
    Remove(pod);
  }
}

void Waiter::Remove(const json::Value& pod) { ready_.erase(std::string(kube::Name(pod))); }

bool Waiter::Satisfied() const { return Missing().empty(); }

std::string Waiter::Missing() const {
  std::string missing;
  for (const auto& [clique, count] : requirements_) {
    const auto ready = std::count_if(ready_.begin(), ready_.end(),
                                     [&](const auto& pod) { return pod.second == clique; });
    if (ready >= count) continue;
    missing +=
        fmt::format("{}{}: {} of {} ready", missing.empty() ? "" : ", ", clique, ready, count);
  }
  return missing;
}

}  // namespace coppice::operators::initc
