#include "page/cluster/cluster.h"

#include <algorithm>

#include "api/well_known.h"

namespace coppice::page {
namespace {

// Changes within this time are published together; if building takes long, later.
constexpr base::Duration kDebounce = std::chrono::milliseconds(100);
constexpr int kMostlyIdle = 4;  // Times as long as a build takes.
constexpr base::Duration kCheck = std::chrono::seconds(1);
// How long the engine explains in one go, and how old an explanation may get while things change.
constexpr base::Duration kExplainFor = std::chrono::milliseconds(50);
constexpr base::Duration kExplainEvery = std::chrono::milliseconds(200);
constexpr base::Duration kExplainAgain = std::chrono::seconds(3);
constexpr int kExplainRarely = 10;  // Times as long as explaining takes.
constexpr size_t kMostExplained = 2000;

int64_t SecondsSinceEpoch(base::Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

}  // namespace

Cluster::Cluster(kube::Client& client, kube::Executor& executor, Board& board,
                 ClusterOptions options)
    : options_(std::move(options)),
      board_(board),
      client_(client, executor, options_.ns),
      manager_(kube::Manager::Make(client_, executor,
                                   {.identity = "coppice-page", .share_equal_parts = true})),
      facts_(manager_->runtime(), [this] { Changed(); }),
      picture_(manager_->runtime(), options_.scheduler, [this] { Changed(); }),
      scope_(executor) {}

base::Status Cluster::Start() {
  {
    std::lock_guard lock(mutex_);
    started_ = SecondsSinceEpoch(Now());
  }
  COPPICE_TRY(facts_.Watch());
  COPPICE_TRY(picture_.Watch());
  manager_->Start();
  Changed();
  scope_.PostAfter(kCheck, [this] { CheckConnection(); });
  return {};
}

void Cluster::Stop() {
  scope_.Close();
  manager_->Stop();
}

void Cluster::Changed() {
  if (scheduled_.exchange(true)) return;
  const base::Duration delay = std::max(kDebounce, took_.load() * kMostlyIdle);
  scope_.PostAfter(delay, [this] {
    scheduled_ = false;
    Build();
  });
}

bool Cluster::SeesEnough() const {
  return client_.SeesAll(api::kNodes) && client_.SeesAll(api::kPods);
}

Answers Cluster::AskEngine() {
  Answers answers;
  picture_.Apply();
  if (!SeesEnough()) return answers;
  answers.shares = picture_.Shares(Now());
  answers.group_of = [this](const api::ObjectKey& pod) { return picture_.GroupOf(pod); };
  for (const auto& [group, explained] : explained_) {
    answers.explanations.emplace(group, explained.explanation);
  }
  return answers;
}

SourceRow Cluster::DescribeSource() {
  SourceRow source;
  source.kind = options_.kind;
  source.name = options_.name;
  source.notices = client_.Notices();
  source.connected = !away_since_;
  source.since = away_since_.value_or(0);
  source.error = away_because_;
  if (options_.now) source.now = SecondsSinceEpoch(*options_.now);
  return source;
}

void Cluster::Build() {
  std::lock_guard lock(mutex_);
  const base::Instant begin = scope_.Elapsed();
  Model model;
  if (Synced()) {
    const Answers answers = AskEngine();
    model = facts_.With([&](const Facts& facts) { return BuildModel(facts, answers, numbers_); });
    history_.Note(model.workloads, model.nodes, SecondsSinceEpoch(Now()));
    waiting_ = std::move(model.waiting_groups);
  } else {
    Changed();
  }
  model.overview.changes = history_.Rows();
  model.overview.started = started_;
  model.overview.source = DescribeSource();
  board_.Publish(std::move(model));
  took_ = scope_.Elapsed() - begin;
  if (!explaining_.exchange(true)) scope_.PostAfter(kExplainEvery, [this] { ExplainSome(); });
}

// Explains what has not been explained, then what was explained long ago, the oldest first.
void Cluster::ExplainSome() {
  explaining_ = false;
  std::lock_guard lock(mutex_);
  if (!SeesEnough()) return;
  const base::Instant begin = scope_.Elapsed();
  decltype(explained_) kept;
  bool news = false;
  size_t left = 0;
  for (const api::ObjectKey& group : waiting_) {
    if (kept.size() >= kMostExplained) break;
    const auto known = explained_.find(group);
    const bool fresh = known != explained_.end() && begin - known->second.at < kExplainAgain;
    const bool tired = scope_.Elapsed() - begin > kExplainFor;
    if (fresh || (tired && known != explained_.end())) {
      kept.insert(*known);
    } else if (!tired) {
      auto said = picture_.Explain(group, Now());
      if (!said) continue;
      news |= known == explained_.end() || known->second.explanation.summary != said->summary ||
              known->second.explanation.verdict != said->verdict;
      kept.emplace(group, Explained{*std::move(said), scope_.Elapsed()});
    }
    left += tired && !fresh;
  }
  explained_ = std::move(kept);
  if (left > 0 && !explaining_.exchange(true)) {
    // Meanwhile nothing is published: in a large cluster, most of the time must be left for that.
    const base::Duration took = scope_.Elapsed() - begin;
    scope_.PostAfter(std::max(kExplainEvery, took * kExplainRarely), [this] { ExplainSome(); });
  }
  if (news) Changed();
}

void Cluster::CheckConnection() {
  {
    std::lock_guard lock(mutex_);
    const base::Status following = Synced() ? facts_.Following() : base::Unavailable("");
    const std::string error = following  ? ""
                              : Synced() ? following.error().message()
                                         : "reading the cluster";
    if (error != away_because_ || following.ok() == away_since_.has_value()) {
      away_because_ = error;
      if (following) away_since_.reset();
      if (!following && !away_since_) away_since_ = SecondsSinceEpoch(Now());
      Changed();
    }
  }
  board_.Ping();
  scope_.PostAfter(kCheck, [this] { CheckConnection(); });
}

std::optional<json::Value> Cluster::Pod(const api::ObjectKey& key) const {
  return manager_->runtime().cache.InformerFor(api::kPods).Get(key);
}

std::optional<engine::Explanation> Cluster::Explain(const api::ObjectKey& group,
                                                    std::optional<base::Time> room_left_until) {
  if (!Synced() || !SeesEnough()) return std::nullopt;
  picture_.Apply();
  return picture_.Explain(group, Now(), room_left_until);
}

}  // namespace coppice::page
