#include "services/scheduler/service.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/edit/kaifiles.h"
#include "api/well_known.h"
#include "base/log.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/common/served.h"
#include "services/scheduler/feed/pod_cache.h"
#include "services/scheduler/output/workload_status.h"
#include "services/scheduler/read/cluster.h"
#include "services/scheduler/read/selectors.h"
#include "services/scheduler/snapshot.h"
#include "services/scheduler/usage/prometheus_usage.h"

namespace coppice::services::scheduler {
namespace {

const api::ObjectKey kCycleKey{"", "cycle"};
constexpr base::Duration kLongestPause = std::chrono::milliseconds(100);

api::ObjectKey KeyOf(const engine::PodKey& pod) { return {pod.namespace_name, pod.name}; }
api::ObjectKey KeyOf(const engine::GroupKey& group) { return {group.namespace_name, group.name}; }

class CycleReconciler final : public kube::Reconciler {
 public:
  explicit CycleReconciler(std::shared_ptr<Service> service) : service_(std::move(service)) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey&) override {
    return service_->RunCycle();
  }

 private:
  std::shared_ptr<Service> service_;
};

// Nothing is to be prepared before it is bound: no shared GPU, no claim, no volume, no zone.
bool NeedsOnlyANode(view::core::PodSpec pod, const engine::BindDecision& decision) {
  if (decision.received == engine::ReceivedType::kFraction || !decision.gpu_groups.empty() ||
      !decision.Extras().numa_zones.empty() || decision.Extras().extended_claim_allocation ||
      !pod.resourceClaims().empty()) {
    return false;
  }
  for (const view::core::Volume volume : pod.volumes()) {
    if (volume.has_persistentVolumeClaim() || volume.has_ephemeral()) return false;
  }
  return true;
}

api::ObjectKey KeyFromText(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return {"", std::string(text)};
  return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

engine::Configuration ConfigurationOf(const Options& options) {
  engine::Configuration configuration = options.configuration;
  configuration.surplus_delay = options.surplus_delay;
  // Schedulers of several shards must not draw the same ids for the GPUs that they let pods share.
  if (!options.partition_label_value.empty()) {
    configuration.seed ^= std::hash<std::string>()(options.partition_label_value);
  }
  return configuration;
}

}  // namespace

Service::Service(kube::Manager& manager, Options options)
    : options_(std::move(options)),
      runtime_(manager.runtime()),
      engine_(ConfigurationOf(options_)),
      feed_(runtime_, options_, engine_, assumptions_,
            [this, &manager] { manager.Enqueue(controller_name(), kCycleKey); }),
      writers_(manager, options_, assumptions_,
               [this](const api::ObjectKey& pod) { feed_.MarkPod(pod); }),
      metrics_(runtime_.metrics, options_.metrics_namespace) {
  metrics_.Budgets(options_.configuration);
  metrics_.Plugins(options_.configuration);
  if (options_.KeepsInputs()) engine_.KeepInputs();
  engine_.SetStopwatch([this] { return runtime_.executor.Elapsed(); });
}

// Brings the engine up to date. What the cache could not answer is asked for once; what comes up
// after that waits for the next cycle.
std::vector<json::Value> Service::Follow() {
  const auto apply = [this] {
    std::lock_guard lock(mutex_);
    return feed_.Apply();
  };
  std::vector<json::Value> stale = apply();
  if (feed_.AskOpenQuestions()) {
    for (json::Value& request : apply()) stale.push_back(std::move(request));
  }
  return stale;
}

base::Result<kube::Requeue> Service::RunCycle() {
  const base::Instant begun = runtime_.executor.Elapsed();
  if (last_cycle_ && begun - *last_cycle_ < Pause()) {
    return kube::Requeue::After(*last_cycle_ + Pause() - begun);
  }
  const base::Time now = runtime_.executor.Now();
  if (archive_ && !archive_->loaded()) return kube::Requeue::After(options_.schedule_period);
  if (usage_ && !usage_->Ready()) return kube::Requeue::After(options_.schedule_period);
  DeleteStaleRequests(Follow());
  // Upstream decides nothing before they are gone.
  if (!stale_requests_.empty() && Keeps(engine::Quirk::kStaleRequests)) {
    base::LogWarn("no scheduling cycle until stale bind requests are deleted");
    return kube::Requeue::After(options_.schedule_period);
  }
  engine::CycleResult result = Decide(now);
  RecordUsage(result, now);
  const kube::Requeue next = NextCycle(result);
  Write(std::move(result), now);
  last_cycle_ = runtime_.executor.Elapsed();
  last_duration_ = *last_cycle_ - begun;
  return next;
}

// While changes pour in, cycles that take long come less often, so that they serve more changes
// each and leave the processor to those who carry them out.
base::Duration Service::Pause() const {
  return std::max(options_.debounce, std::min(3 * last_duration_, kLongestPause));
}

engine::CycleResult Service::Decide(base::Time now) {
  std::lock_guard lock(mutex_);
  if (usage_) {
    if (const auto usage = usage_->TakeNew()) engine_.SetUsage(*usage);
  }
  const base::Instant begun = runtime_.executor.Elapsed();
  auto elapsed = [this, last = begun]() mutable {
    const base::Instant before = std::exchange(last, runtime_.executor.Elapsed());
    return last - before;
  };
  engine_.OpenCycle(now);
  ReflectOrder();
  metrics_.Opened(elapsed());
  for (const std::string& action : options_.configuration.actions) {
    engine_.RunAction(action);
    metrics_.Acted(action, elapsed());
  }
  engine::CycleResult result = engine_.CloseCycle();
  metrics_.Closed(elapsed());
  metrics_.Cycle(result, runtime_.executor.Elapsed() - begun,
                 [this](const std::string& queue) { return feed_.QueueDisplayName(queue); });
  if (log_) log_->Cycle(now, result);
  return result;
}

void Service::ReflectOrder() {
  const auto& plugins = options_.configuration.plugins;
  const bool wanted = std::any_of(plugins.begin(), plugins.end(), [](const auto& plugin) {
    return plugin.name == "reflectjoborder";
  });
  if (!wanted) return;
  json::Value global = json::Value::Array(), by_queue = json::Value::Object();
  for (const engine::Engine::OrderedJob& job : engine_.AllocateOrder()) {
    json::Value entry;
    edit::kaifiles::OrderedJob(entry).set_id(job.group.name).set_priority(job.priority);
    global.Append(entry);
    by_queue.Mutable(job.queue).Append(entry);
  }
  job_order_ = json::Value();
  edit::kaifiles::JobOrder(job_order_).set_global_order(global).set_queue_order(by_queue);
}

json::Value Service::JobOrder() const {
  std::lock_guard lock(mutex_);
  return job_order_;
}

base::Status Service::Watch() {
  COPPICE_TRY(StartUsage());
  if (!options_.decision_log.empty()) {
    COPPICE_ASSIGN(log_, DecisionLog::Open(options_, engine_));
  }
  return feed_.Watch();
}

base::Status Service::StartUsage() {
  if (options_.usage_db.IsNull()) return {};
  COPPICE_ASSIGN(const UsageConfig config, ReadUsageConfig(options_.usage_db));
  if (config.window != UsageConfig::Window::kSliding && Keeps(engine::Quirk::kUsageWindows)) {
    base::LogWarn("only sliding windows of past usage work, as upstream; past usage is ignored");
    return {};
  }
  std::shared_ptr<UsageSource> source;
  if (config.source == UsageConfig::Source::kPrometheus) {
    COPPICE_ASSIGN(const PrometheusQuery query, ConnectPrometheus(config));
    source = MakePrometheusUsage(config, query);
  } else {
    source = history_ = std::make_shared<UsageHistory>(config);
    archive_ = std::make_unique<UsageArchive>(
        runtime_, api::ObjectKey{options_.ns, options_.ControllerName() + "-usage"}, history_);
  }
  usage_ = std::make_unique<UsageFeed>(
      runtime_, config, std::move(source),
      fmt::format("{}_{}", options_.metrics_namespace, "usage_query_latency_milliseconds"));
  archive_ ? archive_->Start([this] { usage_->Start(); }) : usage_->Start();
  return {};
}

void Service::RecordUsage(const engine::CycleResult& result, base::Time now) {
  if (!history_) return;
  UsageHistory::Sample sample{.time = now};
  for (const engine::QueueShare& queue : result.queues) {
    sample.queues[queue.queue] = {queue.allocated[0], queue.allocated[1], queue.allocated[2]};
  }
  const engine::QueueUsage capacity = feed_.Capacity();
  sample.capacity = {capacity.cpu, capacity.memory, capacity.gpu};
  history_->Record(std::move(sample));
}

// Requests that failed, or are for a node that is gone, make way for a new decision. What cannot be
// deleted is tried again with the next cycle.
void Service::DeleteStaleRequests(std::vector<json::Value> requests) {
  for (json::Value& left : std::exchange(stale_requests_, {})) {
    if (feed_.IsStaleRequest(left)) requests.push_back(std::move(left));
  }
  for (const json::Value& request : requests) {
    const base::Status deleted = runtime_.client.Delete(api::kBindRequests, kube::KeyOf(request),
                                                        {.uid = std::string(kube::Uid(request))});
    if (deleted || deleted.Is(base::ErrorCode::kNotFound) ||
        deleted.Is(base::ErrorCode::kConflict)) {
      continue;
    }
    base::LogWarn("cannot delete a stale bind request", {{"error", deleted.error().message()}});
    stale_requests_.push_back(request);
  }
}

std::string Service::NodePool(const api::ObjectKey& pod_key) const {
  const auto pod = feed_.Pod(pod_key);
  if (!pod) return "default";
  const auto group =
      feed_.Group({pod_key.ns, std::string(kube::Annotation(*pod, names::kPodGroupAnnotation))});
  return group ? NodePoolOf(*group, options_.node_pool_label_key) : "default";
}

void Service::Write(engine::CycleResult result, base::Time now) {
  for (engine::EvictDecision& eviction : result.evictions) {
    const json::Value group = feed_.Group(KeyOf(eviction.group)).value_or(json::Value());
    metrics_.Evicted(eviction, kube::Uid(group), NodePoolOf(group, options_.node_pool_label_key));
    writers_.Evict(eviction, group);
  }
  for (engine::BindDecision& bind : result.binds) {
    const auto pod = feed_.Pod(KeyOf(bind.pod));
    const auto created =
        pod ? ReadTime(view::core::Pod(*pod).metadata().creationTimestamp()) : std::nullopt;
    if (created) metrics_.Bound(now - *created);
    std::string group(pod ? kube::Annotation(*pod, names::kPodGroupAnnotation) : "");
    writers_.Bind(
        bind, NodePool(KeyOf(bind.pod)), std::move(group),
        pod ? ChooseBindMethod(view::core::Pod(*pod).spec(), bind) : Writers::BindMethod::kRequest);
  }
  for (const engine::PipelineDecision& pipelined : result.pipelined) {
    if (const auto pod = feed_.Pod(KeyOf(pipelined.pod))) {
      writers_.Note(*pod, {"Normal", "Pipelined",
                           fmt::format("Pod {}/{} was pipelined to node {}", kube::Namespace(*pod),
                                       kube::Name(*pod), pipelined.node)});
    }
  }
  for (const engine::GroupStatus& status : result.groups) {
    assumptions_.Record(status);
    if (const auto group = feed_.Group(KeyOf(status.group))) {
      writers_.Record(*group, MakeRecord(status, *group, options_, now));
    } else {
      RecordForeign(status);
    }
  }
  LogProblems(result.problems);
}

// Once about each, until it is gone.
void Service::LogProblems(const std::vector<engine::InputProblem>& problems) {
  std::set<std::array<std::string, 3>> now;
  for (const engine::InputProblem& problem : problems) {
    now.insert({problem.kind, problem.name, problem.message});
    if (problems_.contains({problem.kind, problem.name, problem.message})) continue;
    if (problem.kind == "Pod" && feed_.IsElsewhere(KeyFromText(problem.name))) continue;
    base::LogWarn("ignoring invalid input",
                  {{"kind", problem.kind}, {"name", problem.name}, {"problem", problem.message}});
  }
  problems_ = std::move(now);
}

Writers::BindMethod Service::ChooseBindMethod(view::core::PodSpec pod,
                                              const engine::BindDecision& decision) const {
  if (!NeedsOnlyANode(pod, decision)) return Writers::BindMethod::kRequest;
  if (feed_.foreign().BindsDirectly(pod.schedulerName())) {
    return Writers::BindMethod::kUnmarkedBinding;
  }
  return options_.bind_directly ? Writers::BindMethod::kBinding : Writers::BindMethod::kRequest;
}

// A group without its own object reports only on its pods.
void Service::RecordForeign(const engine::GroupStatus& status) {
  if (!status.waiting || !status.ready) return;
  for (const engine::PodMessage& message : status.pods) {
    const auto pod = feed_.Pod(KeyOf(message.pod));
    if (!pod) continue;
    writers_.Note(*pod, {"Warning", "FailedScheduling", message.message});
    writers_.SetUnschedulable(*pod, message.message);
  }
}

// Time alone changes decisions only while something waits or is about to be evicted.
kube::Requeue Service::NextCycle(const engine::CycleResult& result) const {
  for (const engine::GroupStatus& status : result.groups) {
    if (status.waiting || status.stale) return kube::Requeue::After(options_.schedule_period);
  }
  if (!result.pipelined.empty() || !stale_requests_.empty()) {
    return kube::Requeue::After(options_.schedule_period);
  }
  // What runs is part of the history also while nothing changes.
  if (history_) return kube::Requeue::After(std::chrono::minutes(1));
  return kube::Requeue::Done();
}

std::optional<engine::Explanation> Service::Explain(std::string_view ns, std::string_view name) {
  std::lock_guard lock(mutex_);
  return engine_.Explain(ns, name, runtime_.executor.Now());
}

std::string Service::TakeSnapshot() const {
  Snapshot snapshot;
  snapshot.options = options_;
  snapshot.objects = feed_.Objects();
  return WriteSnapshot(snapshot);
}

base::Result<std::shared_ptr<Service>> AddToManager(kube::Manager& manager, Options options) {
  COPPICE_ASSIGN(options.configuration.dra_available,
                 IsServed(manager.runtime().client, api::kResourceClaims));
  // The first caller decides what the cache keeps.
  if (options.own_cache) manager.runtime().cache.InformerFor(api::kPods, OwnPodCache());
  auto service = std::make_shared<Service>(manager, std::move(options));
  COPPICE_TRY(service->Watch());
  if (service->options().take_default_scheduler) COPPICE_TRY(AddWorkloadStatus(manager));
  kube::ControllerSpec spec{.name = service->controller_name(), .workers = 1};
  manager.AddController(std::move(spec), std::make_unique<CycleReconciler>(service));
  return service;
}

}  // namespace coppice::services::scheduler
