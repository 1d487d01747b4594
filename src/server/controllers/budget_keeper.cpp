#include "server/controllers/budget_keeper.h"

#include <map>

#include "api/selectors/label_selector.h"
#include "kube/object.h"
#include "server/kinds/checks/conditions.h"
#include "server/model/storages.h"
#include "server/requests/scale.h"

namespace coppice::server {
namespace {

// An eviction that was allowed is taken to happen within this time.
constexpr std::chrono::minutes kDisruptionTimeout(2);

int64_t Share(const json::Value& value, int64_t total) {
  if (value.IsInt()) return value.AsInt();
  const int64_t percent = std::atoll(value.ToString().c_str());
  return (percent * total + 99) / 100;
}

bool IsHealthy(const json::Value& pod) {
  return !kube::IsDeleting(pod) && kube::ConditionIs(pod, "Ready", "True");
}

}  // namespace

BudgetKeeper::BudgetKeeper(Core& core)
    : core_(core), work_([this](const std::string& ns) { return Process(ns); }) {}

void BudgetKeeper::Observe(const std::string& storage, const store::Change& change) {
  if (storage == kBudgets) {
    if (!change.previous && !change.deleted) ++budgets_;
    if (change.deleted) --budgets_;
    work_.Add(std::string(kube::Namespace(change.current->value())));
  } else if (storage == "/pods" && budgets_ > 0) {
    work_.Add(std::string(kube::Namespace(change.current->value())));
  }
}

bool BudgetKeeper::Process(const std::string& ns) {
  const auto budgets = core_.store().List(kBudgets, {ns + "/"});
  if (!budgets) return true;
  bool done = true;
  for (const store::VersionPtr& budget : budgets->items) done &= Update(budget->value());
  return done;
}

int64_t BudgetKeeper::ExpectedCount(const std::vector<json::Value>& pods) const {
  std::map<std::string, int64_t> by_controller;
  int64_t alone = 0;
  const auto registry = core_.registry();
  for (const json::Value& pod : pods) {
    const json::Value& owner = kube::ControllerOwner(pod);
    if (owner.IsNull()) {
      ++alone;
      continue;
    }
    const auto [entry, added] = by_controller.emplace(owner["uid"].ToString(), 0);
    const ServedPtr served =
        registry->FindKind(owner["apiVersion"].AsString(), owner["kind"].AsString());
    if (!served || !served->scale) {
      ++entry->second;
    } else if (added) {
      const store::VersionPtr found = core_.store().Get(
          served->storage, served->NameOf(kube::Namespace(pod), owner["name"].AsString()));
      if (found) entry->second = ScaleOf(*served, found->value())["spec"]["replicas"].AsInt();
    }
  }
  for (const auto& [uid, count] : by_controller) alone += count;
  return alone;
}

json::Value BudgetKeeper::StatusOf(const json::Value& budget) const {
  std::vector<json::Value> pods;
  const auto selector = api::LabelSelector::FromObject(budget["spec"]["selector"]);
  const auto listing = core_.store().List("/pods", {std::string(kube::Namespace(budget)) + "/"});
  if (selector && listing) {
    for (const store::VersionPtr& pod : listing->items) {
      if (selector->MatchesObject(pod->value())) pods.push_back(pod->value());
    }
  }
  const base::Time now = core_.clock().Now();
  const json::Value& spec = budget["spec"];
  json::Value next = budget;
  json::Value disrupted = json::Value::Object();
  int64_t healthy = 0;
  for (const json::Value& pod : pods) {
    const json::Value* since = budget["status"]["disruptedPods"].Find(kube::Name(pod));
    const auto time = since ? base::ParseRfc3339(since->AsString()) : base::Internal("");
    const bool leaving = time && now - *time < kDisruptionTimeout && !kube::IsDeleting(pod);
    if (leaving) disrupted.Set(kube::Name(pod), *since);
    if (!leaving && IsHealthy(pod)) ++healthy;
  }
  const bool counted = spec.Has("maxUnavailable") || spec["minAvailable"].IsString();
  const int64_t expected = counted ? ExpectedCount(pods) : static_cast<int64_t>(pods.size());
  const int64_t desired =
      spec.Has("maxUnavailable")
          ? std::max<int64_t>(0, expected - Share(spec["maxUnavailable"], expected))
          : Share(spec["minAvailable"], expected);
  const int64_t allowed = expected == 0 ? 0 : std::max<int64_t>(0, healthy - desired);
  json::Value& status = next.Mutable("status");
  if (!status.IsObject()) status = json::Value::Object();
  status.Set("currentHealthy", healthy).Set("desiredHealthy", desired);
  status.Set("expectedPods", expected).Set("disruptionsAllowed", allowed);
  status.Set("observedGeneration", kube::Generation(budget));
  if (disrupted.empty()) {
    status.Erase("disruptedPods");
  } else {
    status.Set("disruptedPods", disrupted);
  }
  SetCondition(next, "DisruptionAllowed", allowed > 0 ? "True" : "False",
               allowed > 0 ? "SufficientPods" : "InsufficientPods", "", now);
  return next["status"];
}

bool BudgetKeeper::Update(const json::Value& budget) {
  const Request request{.served = core_.registry()->Find("policy", "v1", "poddisruptionbudgets"),
                        .ns = std::string(kube::Namespace(budget)),
                        .name = std::string(kube::Name(budget)),
                        .subresource = "status",
                        .user = User::ServiceAccount("kube-system", "disruption-controller")};
  const auto result = core_.ModifyQuietly(request, [&](const json::Value& current) {
    json::Value next = current;
    next.Set("status", StatusOf(current));
    return base::Result<json::Value>(std::move(next));
  });
  return result || result.Is(base::ErrorCode::kNotFound);
}

}  // namespace coppice::server
