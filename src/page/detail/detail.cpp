#include "page/detail/detail.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/edit/page.h"
#include "api/kai/names.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "page/detail/timeline.h"
#include "page/facts/levels.h"
#include "page/model/ownership.h"

namespace coppice::page {
namespace {

constexpr size_t kMostPods = 1000, kMostEvents = 200;

using json::Value;

std::vector<Value> PodsOfWorkload(Cluster& cluster, const WorkloadId& id) {
  const std::string text = id.ToString();
  const auto keys = cluster.facts().With([&](const Facts& facts) {
    std::vector<api::ObjectKey> found;
    for (const auto& [key, pod] : facts.pods) {
      if (key.ns == id.ns && WorkloadOf(facts, key, pod) == text) found.push_back(key);
    }
    return found;
  });
  std::vector<Value> pods;
  for (const api::ObjectKey& key : keys) {
    if (auto pod = cluster.Pod(key)) pods.push_back(*std::move(pod));
  }
  std::sort(pods.begin(), pods.end(),
            [](const Value& a, const Value& b) { return kube::Name(a) < kube::Name(b); });
  return pods;
}

// Owners of unknown kinds are found where their pods say they are.
std::optional<api::Resource> ResourceOf(const WorkloadId& id, const std::vector<Value>& pods) {
  if (auto known = api::FindResource(id.kind)) return known;
  for (const Value& pod : pods) {
    for (const view::meta::OwnerReference owner : kube::Metadata(pod).ownerReferences()) {
      if (owner.kind() == id.kind) return api::FindResource(id.kind, owner.apiVersion());
    }
  }
  return std::nullopt;
}

Value ReadObject(Cluster& cluster, const WorkloadId& id, const std::vector<Value>& pods,
                 std::string& message) {
  const auto resource = ResourceOf(id, pods);
  if (!resource) {
    message =
        fmt::format("Its {} cannot be shown: nothing says which API serves this kind.", id.kind);
    return {};
  }
  auto object = cluster.client().Get(*resource, {id.ns, id.name});
  if (object) return *std::move(object);
  message = fmt::format("Its {} cannot be read: {}", id.kind, object.error().message());
  return {};
}

std::string_view GroupIn(const Value& pod) {
  const std::string_view clique = kube::Label(pod, api::labels::kPodClique);
  return clique.empty() ? kube::Label(pod, api::kai::names::kSubGroupLabel) : clique;
}

Value PathOf(Cluster& cluster, const std::string& node) {
  Value path = Value::Array();
  cluster.facts().With([&](const Facts& facts) {
    const auto found = facts.nodes.find(node);
    if (found == facts.nodes.end()) return;
    for (const std::string& level : LevelsOf(facts.topologies, facts.nodes)) {
      path.Append(found->second.labels[level].AsString());
    }
  });
  return path;
}

void AddPod(Cluster& cluster, const Value& pod, edit::page::DetailPod out) {
  const PodFacts facts = ReadPodFacts(pod);
  int64_t restarts = 0;
  for (const auto container : view::core::Pod(pod).status().containerStatuses()) {
    restarts += container.restartCount();
  }
  out.set_name(kube::Name(pod))
      .set_state(ToString(facts.state))
      .set_node(facts.node)
      .set_gang(facts.gang.empty() ? facts.group : facts.gang)
      .set_group(GroupIn(pod))
      .set_gpus(facts.Gpus())
      .set_ready(facts.state == PodState::kReady)
      .set_restarts(restarts)
      .set_message(facts.message)
      .set_path(PathOf(cluster, facts.node));
}

int64_t TimeOf(view::core::Event event) {
  for (const std::string_view time : {event.series().lastObservedTime(), event.lastTimestamp(),
                                      event.eventTime(), event.metadata().creationTimestamp()}) {
    if (!time.empty()) return SecondsOf(time);
  }
  return 0;
}

// About the object, its pods, and what was made in between, such as gangs and groups.
std::set<std::string, std::less<>> NamesAround(const WorkloadId& id,
                                               const std::vector<Value>& pods) {
  std::set<std::string, std::less<>> names{id.name};
  for (const Value& pod : pods) {
    names.emplace(kube::Name(pod));
    const PodFacts facts = ReadPodFacts(pod);
    names.insert({facts.gang, facts.group, std::string(GroupIn(pod))});
    for (const view::meta::OwnerReference owner : kube::Metadata(pod).ownerReferences()) {
      names.emplace(owner.name());
    }
  }
  return names;
}

void AddEvents(Cluster& cluster, const WorkloadId& id, const std::vector<Value>& pods,
               edit::page::Detail out, std::string& message) {
  const auto list = cluster.client().List(api::kEvents, {.ns = id.ns});
  out.set_events(Value::Array());
  if (!list) {
    if (!list.Is(base::ErrorCode::kNotFound) && message.empty()) {
      message = fmt::format("Its events cannot be read: {}", list.error().message());
    }
    return;
  }
  const auto names = NamesAround(id, pods);
  std::vector<view::core::Event> events;
  for (const Value& item : list->items) {
    const view::core::Event event(item);
    if (names.contains(event.involvedObject().name())) events.push_back(event);
  }
  std::stable_sort(events.begin(), events.end(),
                   [](auto a, auto b) { return TimeOf(a) > TimeOf(b); });
  if (events.size() > kMostEvents) events.resize(kMostEvents, view::core::Event(list->items[0]));
  for (const view::core::Event event : events) {
    out.add_events()
        .set_at(TimeOf(event))
        .set_type(event.type())
        .set_reason(event.reason())
        .set_message(event.message())
        .set_count(std::max<int64_t>(event.count(), event.series().count()))
        .set_object(
            fmt::format("{} {}", event.involvedObject().kind(), event.involvedObject().name()));
  }
}

}  // namespace

base::Result<Value> ReadDetail(Cluster& cluster, const WorkloadId& id) {
  const std::vector<Value> pods = PodsOfWorkload(cluster, id);
  std::string message;
  const Value object = ReadObject(cluster, id, pods, message);
  if (object.IsNull() && pods.empty()) {
    return base::NotFound(
        fmt::format("there is no {} \"{}\" in namespace {}, or you may not see "
                    "it; the list of workloads shows what there is",
                    id.kind, id.name, id.ns));
  }
  Value out;
  const edit::page::Detail detail(out);
  detail.set_name(id.name).set_namespace_(id.ns).set_pods(Value::Array());
  for (size_t i = 0; i < std::min(pods.size(), kMostPods); ++i) {
    AddPod(cluster, pods[i], detail.add_pods());
  }
  if (pods.size() > kMostPods) {
    message = fmt::format("Only {} of its {} pods are listed.", kMostPods, pods.size());
  }
  for (const TimelineStep& step : TimelineOf(object, pods)) {
    detail.add_steps()
        .set_text(step.text)
        .set_at(step.first)
        .set_last(step.last)
        .set_count(step.count)
        .set_of(step.of);
  }
  AddEvents(cluster, id, pods, detail, message);
  if (object.IsObject()) detail.set_yaml(json::WriteYaml(object));
  return detail.set_message(message), out;
}

}  // namespace coppice::page
