#include "kube/process/readiness.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

using base::ErrorCode;

// The server understood the write and decided about the object: it works. Whether the object was
// right is not a question of readiness.
bool ServerWorks(const base::Status& outcome) {
  return outcome.ok() || outcome.Is(ErrorCode::kConflict) || outcome.Is(ErrorCode::kNotFound) ||
         outcome.Is(ErrorCode::kAlreadyExists) || outcome.Is(ErrorCode::kInvalid);
}

}  // namespace

ReadinessClient::ReadinessClient(Client& inner, Executor& executor, Options options)
    : InterceptedClient(inner), options_(std::move(options)), scope_(executor) {}

void ReadinessClient::Start() {
  scope_.Post([this] { Try(); });
}

base::Status ReadinessClient::Ready() const {
  std::lock_guard lock(mutex_);
  COPPICE_TRY(Check(list_, "list"));
  return options_.needs_write ? Check(write_, "write") : base::Status();
}

base::Status ReadinessClient::After(const Call& call, const base::Status& outcome) {
  std::lock_guard lock(mutex_);
  if (call.verb == Verb::kList) Note(list_, outcome);
  if (call.writes()) Note(write_, outcome);
  return outcome;
}

void ReadinessClient::Note(Success& success, const base::Status& outcome) {
  if (ServerWorks(outcome)) {
    success = {scope_.Elapsed(), std::nullopt};
  } else {
    success.failure = outcome.error();
  }
}

base::Status ReadinessClient::Check(const Success& success, const char* what) const {
  const base::Instant now = scope_.Elapsed();
  if (success.last && now - *success.last <= options_.recent) return {};
  const std::string age =
      success.last
          ? " for " +
                base::FormatDuration(std::chrono::floor<std::chrono::seconds>(now - *success.last))
          : " yet";
  const std::string why = success.failure ? ": " + success.failure->ToString() : "";
  return base::Unavailable(fmt::format("no successful {}{}{}", what, age, why));
}

bool ReadinessClient::Due(const Success& success) const {
  std::lock_guard lock(mutex_);
  return !success.last || scope_.Elapsed() - *success.last >= options_.trial_after;
}

void ReadinessClient::Try() {
  if (Due(list_)) (void)List(api::kNamespaces, {.limit = 1});
  if (options_.needs_write && Due(write_)) {
    (void)Create(api::kLeases, NewObject(api::kLeases, options_.ns, "coppice-readiness"),
                 {.dry_run = true});
  }
  scope_.PostAfter(options_.trial_after, [this] { Try(); });
}

}  // namespace coppice::kube
