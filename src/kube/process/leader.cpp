#include "kube/process/leader.h"

#include <algorithm>
#include <utility>

#include "api/edit/coordination.h"
#include "api/view/coordination.h"
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
  return leading_ && scope_.Elapsed() < renewed_ + options_.renew_deadline;
}

WriteFencePtr LeaderElector::Fence() const {
  std::lock_guard lock(mutex_);
  return leading_ ? fence_ : nullptr;
}

std::string LeaderElector::Leader() const {
  std::lock_guard lock(mutex_);
  return leader_;
}

void LeaderElector::Campaign() {
  const base::Instant asked = scope_.Elapsed();
  if (TryToHold()) Held(asked);
  // At the moment the lease of another runs out, not up to a period later.
  const base::Duration left = runs_out_ - scope_.Elapsed();
  const base::Duration pause =
      left > base::Duration::zero() ? std::min(left, options_.retry_period) : options_.retry_period;
  scope_.PostAfter(pause, [this] { strand_.Post(scope_.Wrap([this] { Campaign(); })); });
}

bool LeaderElector::TryToHold() {
  const base::Instant now = scope_.Elapsed();
  const Result<Value> lease = client_.Get(api::kLeases, {options_.ns, options_.name});
  if (!lease && !lease.Is(ErrorCode::kNotFound)) {
    base::LogWarn("cannot read lease",
                  {{"lease", options_.name}, {"error", lease.error().ToString()}});
    return false;
  }
  const Result<bool> held = lease ? Acquire(*lease, now) : CreateLease();
  if (!held && !held.Is(ErrorCode::kConflict) && !held.Is(ErrorCode::kAlreadyExists)) {
    base::LogWarn("cannot write lease",
                  {{"lease", options_.name}, {"error", held.error().ToString()}});
  }
  return held.value_or(false);
}

Result<bool> LeaderElector::CreateLease() {
  Value lease = NewObject(api::kLeases, options_.ns, options_.name);
  edit::coordination::Lease(lease).set_spec(Spec({}));
  COPPICE_ASSIGN(lease, client_.Create(api::kLeases, lease));
  Observe(lease, scope_.Elapsed());
  return true;
}

Result<bool> LeaderElector::Acquire(const Value& lease, base::Instant now) {
  Observe(lease, now);
  const view::coordination::LeaseSpec spec = view::coordination::Lease(lease).spec();
  const std::string_view holder = spec.holderIdentity();
  const auto duration = std::chrono::seconds(spec.leaseDurationSeconds());
  const bool others = !holder.empty() && holder != options_.identity;
  runs_out_ = others ? observed_at_ + duration : now;
  if (runs_out_ > now) return false;
  Value renewed = lease;
  edit::coordination::Lease(renewed).set_spec(Spec(spec.Json()));
  COPPICE_ASSIGN(renewed, client_.Update(api::kLeases, renewed));
  Observe(renewed, scope_.Elapsed());
  return true;
}

// Any change of the lease restarts its duration on our own clock: from the last read that did not
// show it, since the change came after that, but at most one period ago.
void LeaderElector::Observe(const Value& lease, base::Instant now) {
  const base::Instant last_look = std::exchange(looked_at_, now);
  const view::coordination::LeaseSpec spec = view::coordination::Lease(lease).spec();
  const bool same = spec == view::coordination::Lease(observed_).spec();
  if (same && Uid(lease) == Uid(observed_)) return;
  observed_at_ = observed_.IsNull() ? now : std::max(last_look, now - options_.retry_period);
  observed_ = lease;
  std::lock_guard lock(mutex_);
  leader_ = spec.holderIdentity();
}

Value LeaderElector::Spec(const Value& previous) const {
  const std::string time = base::FormatRfc3339Micro(scope_.executor().Now());
  const view::coordination::LeaseSpec before(previous);
  const bool ours = before.holderIdentity() == options_.identity;
  const int64_t transitions = before.leaseTransitions();
  Value spec = previous;
  const edit::coordination::LeaseSpec edit(spec);
  edit.set_holderIdentity(options_.identity)
      .set_leaseDurationSeconds(WholeSeconds(options_.lease_duration))
      .set_renewTime(time);
  if (!ours) edit.set_acquireTime(time);
  edit.set_leaseTransitions(ours || previous.IsNull() ? transitions : transitions + 1);
  return spec;
}

// Called with mutex_ held.
void LeaderElector::SetFence() {
  const int64_t transitions = view::coordination::Lease(observed_).spec().leaseTransitions();
  if (fence_ && fence_->transitions == transitions) return;
  fence_ = std::make_shared<const WriteFence>(WriteFence{
      {options_.ns, options_.name}, options_.identity, transitions, [this] { return IsLeader(); }});
}

void LeaderElector::Held(base::Instant since) {
  {
    std::lock_guard lock(mutex_);
    SetFence();
    renewed_ = since;
    // An answer that came too late to be of use; and the deadline's check may still be due.
    if (scope_.Elapsed() >= since + options_.renew_deadline) return;
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
    left = renewed_ + options_.renew_deadline - scope_.Elapsed();
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
  const std::string time = base::FormatRfc3339Micro(scope_.executor().Now());
  edit::coordination::Lease(released)
      .spec()
      .set_holderIdentity("")
      .set_leaseDurationSeconds(1)
      .set_renewTime(time)
      .set_acquireTime(time);
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
