#include "kube/leader.h"

#include <algorithm>
#include <utility>

#include "api/well_known.h"
#include "base/log.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

using base::ErrorCode;
using base::Result;
using json::Value;

int64_t WholeSeconds(base::Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

}  // namespace

LeaderElector::LeaderElector(Client& client, Executor& executor, Options options,
                             Callbacks callbacks)
    : client_(client),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      strand_(executor),
      callbacks_strand_(executor),
      scope_(executor) {
  COPPICE_CHECK(options_.lease_duration > options_.renew_deadline);
  COPPICE_CHECK(options_.renew_deadline > options_.retry_period);
  COPPICE_CHECK(!options_.identity.empty());
  ReportStatus(false);
}

LeaderElector::~LeaderElector() { Stop(); }

void LeaderElector::Start() {
  strand_.Post(scope_.Wrap([this] { Campaign(); }));
}

void LeaderElector::Stop() {
  scope_.Close();
  const bool held = IsLeader();
  {
    std::lock_guard lock(mutex_);
    leading_ = false;
  }
  if (held) Release();
}

bool LeaderElector::IsLeader() const {
  std::lock_guard lock(mutex_);
  return leading_ && scope_.Now() < renewed_ + options_.renew_deadline;
}

std::string LeaderElector::Leader() const {
  std::lock_guard lock(mutex_);
  return leader_;
}

void LeaderElector::Campaign() {
  const base::Time asked = scope_.Now();
  if (TryToHold()) Held(asked);
  // At the moment the lease of another runs out, not up to a period later.
  const base::Duration left = runs_out_ - scope_.Now();
  const base::Duration pause =
      left > base::Duration::zero() ? std::min(left, options_.retry_period) : options_.retry_period;
  scope_.PostAfter(pause, [this] { strand_.Post(scope_.Wrap([this] { Campaign(); })); });
}

bool LeaderElector::TryToHold() {
  const base::Time now = scope_.Now();
  const Result<Value> lease = client_.Get(api::kLeases, {options_.ns, options_.name});
  if (!lease && !lease.Is(ErrorCode::kNotFound)) {
    base::LogWarn("cannot read lease",
                  {{"lease", options_.name}, {"error", lease.error().ToString()}});
    return false;
  }
  const Result<bool> held = lease ? Acquire(*lease, now) : CreateLease(now);
  if (!held && !held.Is(ErrorCode::kConflict) && !held.Is(ErrorCode::kAlreadyExists)) {
    base::LogWarn("cannot write lease",
                  {{"lease", options_.name}, {"error", held.error().ToString()}});
  }
  return held.value_or(false);
}

Result<bool> LeaderElector::CreateLease(base::Time now) {
  Value lease = NewObject(api::kLeases, options_.ns, options_.name);
  lease.Set("spec", Spec({}, now));
  COPPICE_ASSIGN(lease, client_.Create(api::kLeases, lease));
  Observe(lease, scope_.Now());
  return true;
}

Result<bool> LeaderElector::Acquire(const Value& lease, base::Time now) {
  Observe(lease, now);
  const std::string_view holder = lease["spec"]["holderIdentity"].AsString();
  const auto duration = std::chrono::seconds(lease["spec"]["leaseDurationSeconds"].AsInt());
  const bool others = !holder.empty() && holder != options_.identity;
  runs_out_ = others ? observed_at_ + duration : now;
  if (runs_out_ > now) return false;
  Value renewed = lease;
  renewed.Set("spec", Spec(lease["spec"], now));
  COPPICE_ASSIGN(renewed, client_.Update(api::kLeases, renewed));
  Observe(renewed, scope_.Now());
  return true;
}

// Any change of the lease starts its duration anew, on our own clock: from the last look that did
// not show it, since the change came after that, but at most a period ago.
void LeaderElector::Observe(const Value& lease, base::Time now) {
  const base::Time last_look = std::exchange(looked_at_, now);
  if (lease["spec"] == observed_["spec"] && Uid(lease) == Uid(observed_)) return;
  observed_at_ = observed_.IsNull() ? now : std::max(last_look, now - options_.retry_period);
  observed_ = lease;
  std::lock_guard lock(mutex_);
  leader_ = lease["spec"]["holderIdentity"].ToString();
}

Value LeaderElector::Spec(const Value& previous, base::Time now) const {
  const std::string time = base::FormatRfc3339Micro(now);
  const bool ours = previous["holderIdentity"].AsString() == options_.identity;
  const int64_t transitions = previous["leaseTransitions"].AsInt();
  Value spec = previous;
  spec.Set("holderIdentity", options_.identity)
      .Set("leaseDurationSeconds", WholeSeconds(options_.lease_duration))
      .Set("renewTime", time);
  if (!ours) spec.Set("acquireTime", time);
  spec.Set("leaseTransitions", ours || previous.IsNull() ? transitions : transitions + 1);
  return spec;
}

void LeaderElector::Held(base::Time since) {
  {
    std::lock_guard lock(mutex_);
    renewed_ = since;
    // An answer that came too late to be of use; and the deadline's check may still be due.
    if (scope_.Now() >= since + options_.renew_deadline) return;
    if (leading_) return;
    leading_ = true;
  }
  base::LogInfo("became leader", {{"lease", options_.name}, {"identity", options_.identity}});
  ReportStatus(true);
  if (callbacks_.on_started) callbacks_strand_.Post(scope_.Wrap(callbacks_.on_started));
  CheckDeadline();
}

// Not on the strand: a request that hangs must not keep us from noticing that time is up.
void LeaderElector::CheckDeadline() {
  base::Duration left;
  {
    std::lock_guard lock(mutex_);
    left = renewed_ + options_.renew_deadline - scope_.Now();
    leading_ = left > base::Duration::zero();
  }
  if (left > base::Duration::zero()) {
    scope_.PostAfter(left, [this] { CheckDeadline(); });
    return;
  }
  base::LogWarn("lost the lease", {{"lease", options_.name}, {"identity", options_.identity}});
  ReportStatus(false);
  if (callbacks_.on_stopped) callbacks_strand_.Post(scope_.Wrap(callbacks_.on_stopped));
}

// Best effort: without it the others wait until the lease runs out.
void LeaderElector::Release() {
  Value released = observed_;
  const std::string time = base::FormatRfc3339Micro(scope_.Now());
  released.Mutable("spec")
      .Set("holderIdentity", "")
      .Set("leaseDurationSeconds", 1)
      .Set("renewTime", time)
      .Set("acquireTime", time);
  const auto result = client_.Update(api::kLeases, released);
  if (!result) base::LogDebug("lease not released", {{"error", result.error().ToString()}});
  ReportStatus(false);
}

void LeaderElector::ReportStatus(bool leading) {
  if (options_.metrics == nullptr) return;
  options_.metrics->Set("leader_election_master_status", {{"name", options_.name}},
                        leading ? 1 : 0);
}

}  // namespace coppice::kube
