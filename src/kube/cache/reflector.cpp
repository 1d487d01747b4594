#include "kube/cache/reflector.h"

#include "api/edit/any.h"
#include "api/labels.h"
#include "api/well_known.h"
#include "base/log.h"
#include "kube/cache/packing/trim.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

using base::ErrorCode;

// Events taken in per step, so that a flood does not keep the strand from other work.
constexpr size_t kBatch = 1024;
// A watch that lived this long was a good one, even if it brought nothing.
constexpr std::chrono::seconds kHealthy(60);
// A watch that was refused before is taken for accepted when it has not ended for so long.
constexpr std::chrono::seconds kProof(1);
using api::labels::kInitialEventsEnd;

// The server has not reached our version: it was restored from a backup, or is another one.
bool IsFromAnotherHistory(const base::Error& error) {
  for (const base::FieldCause& cause : error.causes()) {
    if (cause.reason == "ResourceVersionTooLarge") return true;
  }
  return false;
}

// The server understood the request and will not do it, now or later.
bool RefusesStreaming(const base::Error& error) {
  switch (error.code()) {
    case ErrorCode::kInvalid:
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnimplemented:
    case ErrorCode::kMethodNotAllowed:
      return true;
    default:
      return false;
  }
}

bool EndsInitialEvents(const WatchEvent& event) {
  return event.type == EventType::kBookmark &&
         Annotation(event.object, kInitialEventsEnd) == "true";
}

}  // namespace

// One watch: takes events on the server's thread and has them drained on the strand.
class Reflector::Session final : public WatchSink, public std::enable_shared_from_this<Session> {
 public:
  Session(Reflector& owner, base::Instant opened) : owner_(owner), opened_(opened) {}

  void OnEvent(WatchEvent event) override {
    std::lock_guard lock(mutex_);
    if (end_) return;
    events_.push_back(std::move(event));
    ++seen_;
    if (events_.size() > owner_.options_.max_backlog) {
      end_ = base::Unavailable("events arrive faster than they are taken in");
    }
    ScheduleLocked();
  }

  void OnEnd(base::Error reason) override {
    std::lock_guard lock(mutex_);
    if (!end_) end_ = std::move(reason);
    ScheduleLocked();
  }

  // Up to kBatch events; the end only after all of them.
  std::vector<WatchEvent> TakeBatch(std::optional<base::Error>& end) {
    std::lock_guard lock(mutex_);
    const size_t count = std::min(events_.size() - taken_, kBatch);
    const auto first = events_.begin() + static_cast<std::ptrdiff_t>(taken_);
    std::vector<WatchEvent> batch(
        std::make_move_iterator(first),
        std::make_move_iterator(first + static_cast<std::ptrdiff_t>(count)));
    taken_ += count;
    scheduled_ = false;
    if (taken_ < events_.size()) {
      ScheduleLocked();
    } else {
      events_.clear();
      taken_ = 0;
      end = end_;
    }
    return batch;
  }

  uint64_t seen() const {
    std::lock_guard lock(mutex_);
    return seen_;
  }
  base::Instant opened() const { return opened_; }
  void Hold(std::unique_ptr<Watch> watch) { watch_ = std::move(watch); }
  void Release() { watch_.reset(); }

 private:
  void ScheduleLocked() {
    if (scheduled_) return;
    scheduled_ = true;
    // Weak: a session that was replaced has nothing to say any more.
    owner_.strand_.Post(owner_.scope_.Wrap([&owner = owner_, weak = weak_from_this()] {
      if (const auto self = weak.lock()) owner.Drain(self);
    }));
  }

  Reflector& owner_;
  const base::Instant opened_;
  mutable std::mutex mutex_;  // Guards all below but watch_, which only the strand touches.
  std::vector<WatchEvent> events_;
  size_t taken_ = 0;
  std::optional<base::Error> end_;
  uint64_t seen_ = 0;
  bool scheduled_ = false;
  std::unique_ptr<Watch> watch_;
};

Reflector::Reflector(Client& client, const Resource& resource, Options options, Strand& strand,
                     TaskScope& scope, Target& target)
    : client_(client),
      resource_(resource),
      options_(std::move(options)),
      strand_(strand),
      scope_(scope),
      target_(target),
      streaming_(options_.streaming_lists),
      random_(std::hash<std::string>()(resource.QualifiedName())) {}

Reflector::~Reflector() { Stop(); }

void Reflector::Stop() {
  if (session_ != nullptr) session_->Release();
  session_.reset();
}

void Reflector::Connect() {
  if (!version_.empty()) return StartWatch();
  if (streaming_) return StartStream();
  ListAll();
}

void Reflector::ListAll() {
  std::string version;
  Count("coppice_reflector_lists_total");
  base::Result<ObjectSet> objects = ListPages(options_.page_size, version);
  // The server forgot the list between two pages: one piece, then.
  if (objects.Is(ErrorCode::kGone)) objects = ListPages(0, version);
  if (!objects) {
    trouble_in_watch_ = false;
    return Failed(objects.error());
  }
  version_ = version;
  target_.Replace(*std::move(objects), version_);
  if (!trouble_in_watch_) Recovered();
  StartWatch();
}

bool Reflector::Packs(const Options& options, const Resource& resource) {
  return options.share_equal_parts && resource == api::kPods;
}

base::Result<ObjectSet> Reflector::ListPages(int64_t page_size, std::string& version) {
  ListOptions options{.ns = options_.which.ns,
                      .label_selector = options_.which.label_selector,
                      .field_selector = options_.which.field_selector,
                      .limit = page_size};
  ObjectSet objects(Packs(options_, resource_));
  do {
    if (scope_.closed()) return base::Cancelled("stopping");
    COPPICE_ASSIGN(ObjectList page, client_.List(resource_, options));
    for (json::Value& item : page.items) objects.Put(Trimmed(std::move(item)));
    version = page.resource_version;
    options.continue_token = page.continue_token;
  } while (!options.continue_token.empty());
  return objects;
}

void Reflector::StartStream() {
  staged_.emplace(Packs(options_, resource_));
  WatchOptions options;
  options.send_initial_events = true;
  Open(options, true);
}

void Reflector::StartWatch() {
  WatchOptions options;
  options.resource_version = version_;
  Open(options, false);
}

void Reflector::Open(const WatchOptions& base_options, bool streaming) {
  WatchOptions options = base_options;
  options.ns = options_.which.ns;
  options.label_selector = options_.which.label_selector;
  options.field_selector = options_.which.field_selector;
  Count("coppice_reflector_watches_total");
  session_ = std::make_shared<Session>(*this, scope_.Elapsed());
  auto watch = client_.StartWatch(resource_, options, *session_);
  if (!watch) return Ended(watch.error());
  session_->Hold(*std::move(watch));
  if (trouble_in_watch_) ProveLater(session_);
  if (streaming) WatchPatience(session_, 0);
}

void Reflector::Drain(const std::shared_ptr<Session>& session) {
  if (session != session_) return;
  std::optional<base::Error> end;
  std::vector<WatchEvent> events = session->TakeBatch(end);
  if (!events.empty()) {
    failures_ = 0;
    if (!staged_) Recovered();
  }
  std::vector<WatchEvent> batch;
  batch.reserve(events.size());
  for (WatchEvent& event : events) Take(std::move(event), batch);
  if (!events.empty() && !staged_) target_.Apply(std::move(batch), version_);
  if (end) Ended(*end);
}

void Reflector::Take(WatchEvent event, std::vector<WatchEvent>& batch) {
  if (const std::string_view version = ResourceVersion(event.object);
      !version.empty() && !staged_) {
    version_ = version;
  }
  if (EndsInitialEvents(event) && staged_) {
    version_ = ResourceVersion(event.object);
    return FinishStream();
  }
  if (event.type == EventType::kBookmark || Name(event.object).empty()) return;
  std::optional<json::Value> written = target_.Written(event.object);
  event.object = written ? Shared(*std::move(written)) : Trimmed(std::move(event.object));
  if (!staged_) return batch.push_back(std::move(event));
  if (event.type != EventType::kDeleted) {
    staged_->Put(std::move(event.object));
  } else if (const auto* slot = staged_->Find({Namespace(event.object), Name(event.object)})) {
    staged_->Erase(*slot);
  }
}

void Reflector::FinishStream() {
  ObjectSet objects = *std::move(staged_);
  staged_.reset();
  target_.Replace(std::move(objects), version_);
  Recovered();
}

// The watch has ended; where to resume depends on the reason.
void Reflector::Ended(const base::Error& reason) {
  if (session_ != nullptr && scope_.Elapsed() - session_->opened() >= kHealthy) failures_ = 0;
  Stop();
  const bool was_streaming = staged_.has_value();
  staged_.reset();
  if (was_streaming && RefusesStreaming(reason)) {
    streaming_ = false;
    base::LogInfo("server does not stream lists, listing instead",
                  {{"resource", resource_.QualifiedName()}, {"reason", reason.ToString()}});
    return ConnectAfter(base::Duration::zero());
  }
  // What is not served any more may be served again, with other objects.
  if (reason.Is(ErrorCode::kGone) || reason.Is(ErrorCode::kNotFound) ||
      IsFromAnotherHistory(reason)) {
    version_.clear();
  }
  if (failures_ == 0) {
    ++failures_;
    return ConnectAfter(base::Duration::zero());
  }
  trouble_in_watch_ = !was_streaming;
  Failed(reason);
}

void Reflector::Failed(const base::Error& reason) {
  if (scope_.closed()) return;
  const base::Duration backoff = options_.backoff.After(failures_++);
  const base::Duration delay = std::max<base::Duration>(
      Jittered(backoff), reason.retry_after().value_or(std::chrono::milliseconds(0)));
  // Reports a repeated error only once.
  const bool known = std::exchange(trouble_, reason.ToString()) == reason.ToString();
  base::Log(known ? base::LogLevel::kDebug : base::LogLevel::kWarn, "cannot follow resource",
            {{"resource", resource_.QualifiedName()},
             {"error", trouble_},
             {"retry_in", base::FormatDuration(delay)}});
  target_.SetFollowing(reason);
  ConnectAfter(delay);
}

void Reflector::Recovered() {
  trouble_in_watch_ = false;
  if (!std::exchange(trouble_, "").empty()) {
    base::LogInfo("watching resource again", {{"resource", resource_.QualifiedName()}});
  }
  target_.SetFollowing({});
}

void Reflector::ProveLater(const std::shared_ptr<Session>& session) {
  const auto check = [this, weak = std::weak_ptr(session)] {
    const auto watched = weak.lock();
    if (watched != nullptr && watched == session_ && !staged_) Recovered();
  };
  scope_.PostAfter(kProof, [this, check] { strand_.Post(scope_.Wrap(check)); });
}

void Reflector::ConnectAfter(base::Duration delay) {
  const auto connect = [this] { strand_.Post(scope_.Wrap([this] { Connect(); })); };
  if (delay <= base::Duration::zero()) return connect();
  scope_.PostAfter(delay, connect);
}

// A server that takes the request but never ends the initial list must not keep us waiting.
void Reflector::WatchPatience(const std::shared_ptr<Session>& session, uint64_t seen) {
  const auto check = [this, weak = std::weak_ptr(session), seen] {
    const auto watched = weak.lock();
    if (watched == nullptr || watched != session_ || !staged_) return;
    const uint64_t now_seen = watched->seen();
    if (now_seen != seen) return WatchPatience(watched, now_seen);
    Ended(base::Unimplemented("the initial list does not end"));
  };
  scope_.PostAfter(options_.stream_patience, [this, check] { strand_.Post(scope_.Wrap(check)); });
}

json::Value Reflector::Kept(json::Value object) const {
  if (Metadata(object).has_managedFields()) {
    edit::any::Object(object).metadata().clear_managedFields();
  }
  if (options_.which.trim) object = options_.which.trim(std::move(object));
  return Packs(options_, resource_) ? WithCommonTokenName(std::move(object)) : object;
}

json::Value Reflector::Trimmed(json::Value object) { return Shared(Kept(std::move(object))); }

json::Value Reflector::Shared(json::Value object) {
  // Packing shares their parts.
  const bool shares = options_.share_equal_parts && !Packs(options_, resource_);
  return shares ? pool_.Share(std::move(object)) : object;
}

// Between three quarters of the delay and all of it, so that many informers do not return at once.
base::Duration Reflector::Jittered(base::Duration delay) {
  const auto quarter = static_cast<uint64_t>(delay.count() / 4 + 1);
  return delay - base::Duration(static_cast<int64_t>(random_() % quarter));
}

void Reflector::Count(const char* metric) {
  if (options_.metrics == nullptr) return;
  options_.metrics->Increment(metric, {{"resource", resource_.QualifiedName()}});
}

}  // namespace coppice::kube
