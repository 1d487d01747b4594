#include "services/scheduler/feed/feed.h"

#include <algorithm>

#include "api/view/core.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "engine/state/jobs/status.h"
#include "kube/object.h"
#include "services/common/served.h"
#include "services/scheduler/read/bind_requests.h"
#include "services/scheduler/read/numa.h"
#include "services/scheduler/read/relevance.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

constexpr const char* kByPod = "scheduler-pod";
constexpr const char* kByNode = "scheduler-node";

api::ObjectKey PodKeyOf(const json::Value& bind_request) {
  return {std::string(kube::Namespace(bind_request)),
          std::string(view::kai::BindRequest(bind_request).spec().podName())};
}

std::string_view NodeOf(const json::Value& bind_request) {
  return view::kai::BindRequest(bind_request).spec().selectedNode();
}

void AddBindRequestIndexes(kube::Informer& informer) {
  informer.AddIndex(
      kByPod, [](const json::Value& request) { return std::vector{PodKeyOf(request).ToString()}; });
  informer.AddIndex(kByNode, [](const json::Value& request) {
    return std::vector{std::string(NodeOf(request))};
  });
}

bool HasClaims(view::core::Pod pod) {
  return !pod.spec().resourceClaims().empty() || pod.status().has_extendedResourceClaimStatus();
}

engine::QueueUsage CapacityOf(const engine::NodeSpec& node) {
  engine::QueueUsage capacity;
  for (const auto& [name, amount] : node.allocatable) {
    if (name == "cpu") capacity.cpu = amount.ToDouble() * 1000;
    if (name == "memory") capacity.memory = amount.ToDouble();
    if (name.ends_with("/gpu")) capacity.gpu += amount.ToDouble();
  }
  return capacity;
}

}  // namespace

Feed::Feed(kube::Runtime runtime, const Options& options, engine::Engine& engine,
           Assumptions& assumptions, std::function<void()> on_change)
    : runtime_(runtime),
      options_(options),
      partition_(options.node_pool_label_key, options.partition_label_value),
      engine_(engine),
      assumptions_(assumptions),
      on_change_(std::move(on_change)),
      foreign_(runtime, options, engine, assumptions),
      backoff_(options.schedule_period),
      scope_(runtime.executor) {}

base::Status Feed::Watch() {
  COPPICE_TRY(AddClusterSources());
  COPPICE_TRY(AddDeviceSources());
  AddStorageSources();
  const auto bind = [this](auto method) {
    return [this, method](const auto& key, const auto& object) { (this->*method)(key, object); };
  };
  bind_requests_ =
      &AddSource(api::kBindRequests, bind(&Feed::ApplyBindRequest), BindRequestUpdateMatters);
  AddBindRequestIndexes(bind_requests_->informer);
  pods_ = &AddSource(api::kPods, bind(&Feed::ApplyPod), PodUpdateMatters);
  COPPICE_TRY(foreign_.Watch([this](const api::ObjectKey& pod) { MarkPod(pod); }));
  for (Source& source : sources_) {
    source.informer.AddHandler([this, &source](const kube::Change& change) {
      if (source.matters && change.type == kube::ChangeType::kUpdated &&
          !source.matters(change.old_object, change.object)) {
        return;
      }
      Mark(source, kube::KeyOf(change.object));
    });
  }
  return {};
}

Feed::Source& Feed::AddSource(const api::Resource& resource, ApplyFunction apply, Matters matters) {
  return sources_.emplace_back(runtime_.cache.InformerFor(resource), std::move(apply), matters);
}

void Feed::Mark(Source& source, const api::ObjectKey& key) {
  {
    std::lock_guard lock(mutex_);
    source.changed.insert(key);
    // Until they are applied, one call speaks for all changes.
    if (std::exchange(told_, true)) return;
  }
  on_change_();
}

void Feed::MarkPod(const api::ObjectKey& pod) { Mark(*pods_, pod); }

std::set<api::ObjectKey> Feed::TakeChanged(Source& source) {
  std::lock_guard lock(mutex_);
  return std::exchange(source.changed, {});
}

std::vector<json::Value> Feed::Apply() {
  {
    std::lock_guard lock(mutex_);
    told_ = false;
  }
  stale_requests_.clear();
  for (Source& source : sources_) {
    for (const api::ObjectKey& key : TakeChanged(source)) {
      source.apply(key, source.informer.Get(key));
    }
  }
  TellStarts();
  answers_.clear();  // Of objects that are gone.
  return std::exchange(stale_requests_, {});
}

std::optional<bool> Feed::Answer(Question question) {
  if (const auto known = answers_.extract(question.id)) return known.mapped();
  questions_.push_back(std::move(question));
  return std::nullopt;
}

bool Feed::AskOpenQuestions() {
  const std::vector<Question> open = std::exchange(questions_, {});
  for (const Question& question : open) {
    answers_[question.id] = question.holds();
    Mark(*question.source, question.key);
  }
  return !open.empty();
}

bool Feed::IsElsewhere(const api::ObjectKey& key) const {
  const auto pod = pods_->informer.Get(key);
  if (!pod) return false;
  const std::string node(view::core::Pod(*pod).spec().nodeName());
  return !nodes_.contains(node) && nodes_source_->informer.Get({"", node}).has_value();
}

std::optional<json::Value> Feed::Group(const api::ObjectKey& key) const {
  return groups_->informer.Get(key);
}

std::optional<json::Value> Feed::Pod(const api::ObjectKey& key) const {
  return pods_->informer.Get(key);
}

std::string Feed::QueueDisplayName(const std::string& name) const {
  const auto queue = queues_->informer.Get({"", name});
  return queue ? std::string(view::kai::Queue(*queue).spec().displayName()) : "";
}

engine::QueueUsage Feed::Capacity() const {
  engine::QueueUsage sum;
  for (const auto& [name, node] : nodes_) {
    sum.cpu += node.cpu;
    sum.memory += node.memory;
    sum.gpu += node.gpu;
  }
  return sum;
}

// ---- Objects ---------------------------------------------------------------------------------

base::Status Feed::AddClusterSources() {
  const auto bind = [this](auto method) {
    return [this, method](const auto& key, const auto& object) { (this->*method)(key, object); };
  };
  AddSource(api::kPriorityClasses, bind(&Feed::ApplyPriorityClass));
  COPPICE_ASSIGN(const bool numa, IsServed(runtime_.client, kNodeResourceTopologies));
  if (numa) {
    AddSource(kNodeResourceTopologies, bind(&Feed::ApplyNumaTopology));
  }
  nodes_source_ = &AddSource(api::kNodes, bind(&Feed::ApplyNode));
  queues_ = &AddSource(api::kQueues, bind(&Feed::ApplyQueue), QueueUpdateMatters);
  groups_ = &AddSource(api::kPodGroups, bind(&Feed::ApplyGroup), GroupUpdateMatters);
  AddSource(api::kTopologies, [this](const auto& key, const auto& object) {
    object ? engine_.PutTopology(ReadTopology(*object)) : engine_.RemoveTopology(key.name);
  });
  AddSource(api::kConfigMaps, [this](const auto& key, const auto& object) {
    object ? engine_.PutConfigMap(key.ns, key.name) : engine_.RemoveConfigMap(key.ns, key.name);
  });
  AddSource(api::kNamespaces, [this](const auto& key, const auto& object) {
    object ? engine_.PutNamespace(key.name,
                                  ReadLabels(view::core::Namespace(*object).metadata().labels()))
           : engine_.RemoveNamespace(key.name);
  });
  return {};
}

void Feed::ApplyPriorityClass(const api::ObjectKey& key, const std::optional<json::Value>& object) {
  if (object) {
    priority_classes_.Put(*object);
  } else {
    priority_classes_.Remove(key.name);
  }
  // Groups name classes; there are few of these, and they hardly ever change.
  for (const auto& [group, uid] : group_uids_) Mark(*groups_, group);
}

void Feed::ApplyNumaTopology(const api::ObjectKey& key, const std::optional<json::Value>& object) {
  if (object) {
    numa_[key.name] = ReadNumaTopology(*object);
  } else {
    numa_.erase(key.name);
  }
  Mark(*nodes_source_, {"", key.name});
}

void Feed::ApplyNode(const api::ObjectKey& key, const std::optional<json::Value>& object) {
  if (object && partition_.Contains(*object)) {
    engine::NodeSpec node = ReadNode(*object);
    if (const auto numa = numa_.find(key.name); numa != numa_.end()) node.numa = numa->second;
    engine_.PutNode(node);
    if (!nodes_.insert_or_assign(key.name, CapacityOf(node)).second) return;
  } else {
    engine_.RemoveNode(key.name);
    if (nodes_.erase(key.name) == 0) return;
  }
  // Requests for a node that came or went count, or cease to.
  for (const json::Value& request : bind_requests_->informer.ByIndex(kByNode, key.name)) {
    Mark(*bind_requests_, kube::KeyOf(request));
  }
}

void Feed::ApplyQueue(const api::ObjectKey& key, const std::optional<json::Value>& object) {
  if (object && partition_.Contains(*object)) {
    engine_.PutQueue(ReadQueue(*object));
  } else {
    engine_.RemoveQueue(key.name);
  }
}

void Feed::ApplyGroup(const api::ObjectKey& key, const std::optional<json::Value>& object) {
  const bool used =
      object && partition_.Contains(*object) && !IsBackedOff(*object, options_.node_pool_label_key);
  const auto known = group_uids_.find(key);
  if (known != group_uids_.end() && (!object || kube::Uid(*object) != known->second)) {
    assumptions_.ForgetGroup(key);
    group_uids_.erase(known);
  }
  if (!used) {
    engine_.RemovePodGroup(key.ns, key.name);
    return;
  }
  group_uids_[key] = kube::Uid(*object);
  engine::PodGroupSpec group =
      ReadPodGroup(*object, priority_classes_, options_.node_pool_label_key);
  assumptions_.Overlay(group, options_.configuration.compatibility);
  engine_.PutPodGroup(group);
}

// ---- Bind requests and pods ------------------------------------------------------------------

bool Feed::BlocksDecision(const json::Value& request) const {
  if (IsFailedBindRequest(request) && !carried_out_.contains(kube::KeyOf(request))) return true;
  return !nodes_.contains(NodeOf(request));
}

bool Feed::IsStaleRequest(const json::Value& request) const {
  const auto current = bind_requests_->informer.Get(kube::KeyOf(request));
  if (!current || kube::Uid(*current) != kube::Uid(request)) return false;
  const auto pod = pods_->informer.Get(PodKeyOf(*current));
  return BlocksDecision(*current) || (pod && !IsBindRequestOf(*current, *pod));
}

void Feed::ApplyBindRequest(const api::ObjectKey& key, const std::optional<json::Value>& object) {
  const api::ObjectKey pod = object ? PodKeyOf(*object) : key;
  assumptions_.ForgetBound(pod);
  Mark(*pods_, pod);
  carried_out_.erase(key);
  if (object && IsFailedBindRequest(*object)) ApplyFailure(key, *object);
  if (object && BlocksDecision(*object) && partition_.Contains(*object))
    stale_requests_.push_back(*object);
}

void Feed::ApplyFailure(const api::ObjectKey& key, const json::Value& request) {
  const api::ObjectKey pod_key = PodKeyOf(request);
  const auto pod = pods_->informer.Get(pod_key);
  if (!pod || !IsBindRequestOf(request, *pod)) return;
  // A binding whose answer was lost, or that another binder made, may not have come to our cache
  // yet: the room that it takes is not free. While nobody can tell, it stays taken.
  const std::string uid(kube::Uid(request));
  const bool unbound = view::core::Pod(*pod).spec().nodeName().empty();
  const auto bound_by_now = [this, key, pod_key, pod_uid = std::string(kube::Uid(*pod))] {
    return IsBoundByNow(key, pod_key, pod_uid);
  };
  if (unbound && Answer({uid, bind_requests_, key, bound_by_now}).value_or(true)) {
    carried_out_.insert(key);
  } else {
    backoff_.Failed(pod_key, uid, runtime_.executor.Elapsed());
  }
}

bool Feed::IsBoundByNow(const api::ObjectKey& request, const api::ObjectKey& pod,
                        std::string_view uid) {
  const auto live = runtime_.client.Get(api::kPods, pod);
  if (live) return kube::Uid(*live) == uid && view::core::Pod(*live).spec().has_nodeName();
  if (live.Is(base::ErrorCode::kNotFound)) return false;
  scope_.PostAfter(options_.schedule_period, [this, request] { Mark(*bind_requests_, request); });
  return true;
}

std::optional<engine::BindRequestSpec> Feed::BindRequestOf(const json::Value& pod) {
  const api::ObjectKey key = kube::KeyOf(pod);
  for (const json::Value& request : bind_requests_->informer.ByIndex(kByPod, key.ToString())) {
    if (IsBindRequestOf(request, pod) && !BlocksDecision(request)) return ReadBindRequest(request);
    // To us the nodes of other shards are not there, and their requests none of our business.
    if (partition_.Contains(request)) stale_requests_.push_back(request);
  }
  return assumptions_.Bound(key, kube::Uid(pod));
}

// What the claims of a bound pod were given: their cache may not show it yet, and these devices are
// not free.
Assumptions::Devices Feed::DevicesOf(const json::Value& pod) const {
  const std::string key = kube::KeyOf(pod).ToString();
  for (const json::Value& object : bind_requests_->informer.ByIndex(kByPod, key)) {
    if (!IsBindRequestOf(object, pod)) continue;
    engine::BindRequestSpec request = ReadBindRequest(object);
    return {std::move(request.claim_allocations), std::move(request.extended_claim_allocation)};
  }
  return assumptions_.Allocated(std::string(kube::Uid(pod)));
}

void Feed::RemovePod(const api::ObjectKey& key) {
  const json::Value* known = pod_uids_.Find(key);
  if (known == nullptr) return;
  const std::string uid = known->ToString();
  engine_.RemovePod(uid);
  assumptions_.ForgetPod(uid);
  pod_uids_.Erase(key);
  foreign_.Leave(key);
}

bool Feed::IsHeld(const api::ObjectKey& pod) {
  const base::Instant now = runtime_.executor.Elapsed();
  const auto until = backoff_.BackedOffUntil(pod, now);
  if (!until) return false;
  scope_.PostAfter(*until - now, [this, pod] { MarkPod(pod); });
  return true;
}

void Feed::ApplyPod(const api::ObjectKey& key, const std::optional<json::Value>& object) {
  const json::Value* known = pod_uids_.Find(key);
  if (known != nullptr && (!object || kube::Uid(*object) != known->AsString())) {
    if (LeavesDevices(key, known->ToString())) return;
    RemovePod(key);
  }
  if (!object) {
    backoff_.Forget(key);
    assumptions_.ForgetBound(key);
    return;
  }
  const view::core::Pod cached(*object);
  if (cached.status().phase() == "Failed") return RemovePod(key);
  const bool unbound = cached.spec().nodeName().empty();
  if (!unbound) assumptions_.ForgetBound(key);
  const auto request = unbound ? BindRequestOf(*object) : std::nullopt;
  if (!unbound) backoff_.Forget(key);
  if (unbound && IsHeld(key)) return RemovePod(key);
  const bool foreign = foreign_.Takes(cached.spec().schedulerName());
  engine::PodSpec pod =
      pod_reader_.Read(*object, request ? &*request : nullptr,
                       foreign ? options_.configuration.scheduler_name : std::string());
  if (!unbound && HasClaims(cached)) {
    Assumptions::Devices devices = DevicesOf(*object);
    pod.claim_allocations = std::move(devices.claims);
    pod.extended_claim_allocation = std::move(devices.extended);
  }
  if (foreign && pod.pod_group.empty()) foreign_.Join(*object, priority_classes_, pod);
  if (const auto evicted = assumptions_.Evicted(pod.uid); evicted && !pod.deletion) {
    pod.status = engine::TaskStatus::kReleasing;
    pod.deletion = evicted;
  }
  pod_uids_.Put(*object);
  engine_.PutPod(pod);
  NoteStart(*object, pod);
}

// ---- Starts ----------------------------------------------------------------------------------

// If a scheduler stops between its binds and recording the group's start, the start is derived from
// the pods: the group is protected by its minimum runtime from the first bind on.
void Feed::NoteStart(const json::Value& pod, const engine::PodSpec& spec) {
  if (spec.pod_group.empty() || !engine::IsAllocated(spec.status)) return;
  const api::ObjectKey group{std::string(kube::Namespace(pod)), spec.pod_group};
  if (engine_.LastStart(group.ns, group.name)) return;
  const auto [start, first] = starts_.emplace(group, PlacedAt(pod));
  if (!first) start->second = std::min(start->second, PlacedAt(pod));
}

void Feed::TellStarts() {
  for (const auto& [group, time] : std::exchange(starts_, {})) {
    engine_.SetLastStart(group.ns, group.name, time);
  }
}

base::Time Feed::PlacedAt(const json::Value& pod) const {
  for (const json::Value& request :
       bind_requests_->informer.ByIndex(kByPod, kube::KeyOf(pod).ToString())) {
    if (!IsBindRequestOf(request, pod)) continue;
    const view::meta::ObjectMeta metadata = view::kai::BindRequest(request).metadata();
    if (const auto made = ReadTime(metadata.creationTimestamp())) return *made;
  }
  return ReadPlacedAt(pod).value_or(runtime_.executor.Now());
}

}  // namespace coppice::services::scheduler
