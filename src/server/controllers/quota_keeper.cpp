#include "server/controllers/quota_keeper.h"

#include "kube/object.h"
#include "server/model/storages.h"
#include "server/quota/usage.h"

namespace coppice::server {
namespace {

// A change that can lower a count: admission has counted all others.
bool Frees(const std::string& storage, const store::Change& change) {
  if (change.deleted) return true;
  return storage == "/pods" && change.previous &&
         !(change.previous->value()["status"]["phase"] ==
           change.current->value()["status"]["phase"]);
}

}  // namespace

QuotaKeeper::QuotaKeeper(Core& core)
    : core_(core), work_([this](const std::string& ns) { return Process(ns); }) {}

void QuotaKeeper::Observe(const std::string& storage, const store::Change& change) {
  const bool is_quota = storage == kQuotas;
  std::lock_guard lock(mutex_);
  if (!is_quota && counted_.empty()) return;
  const std::string ns(kube::Namespace(change.current->value()));
  if (is_quota && !change.deleted) {
    for (std::string& each : StoragesOf(change.current->value())) {
      counted_[ns].insert(std::move(each));
    }
  }
  const auto counted = counted_.find(ns);
  if (counted == counted_.end() || !counted->second.count(storage)) {
    if (!is_quota) return;
  }
  const bool restored = is_quota && !change.previous;
  if (restored || Frees(storage, change)) work_.Add(ns);
}

bool QuotaKeeper::Process(const std::string& ns) {
  const auto quotas = core_.store().List(kQuotas, {ns + "/"});
  if (!quotas) return true;
  if (quotas->items.empty()) {
    std::lock_guard lock(mutex_);
    counted_.erase(ns);
  }
  bool done = true;
  for (const store::VersionPtr& quota : quotas->items) {
    const Request request{.served = core_.registry()->Find("", "v1", "resourcequotas"),
                          .ns = ns,
                          .name = std::string(kube::Name(quota->value())),
                          .subresource = "status",
                          .user = User::ServiceAccount("kube-system", "resourcequota-controller")};
    const auto result = core_.ModifyQuietly(request, [&](const json::Value& current) {
      json::Value next = current;
      next.Set("status", QuotaStatus(current, core_.store()));
      return base::Result<json::Value>(std::move(next));
    });
    done &= result || result.Is(base::ErrorCode::kNotFound);
  }
  return done;
}

}  // namespace coppice::server
