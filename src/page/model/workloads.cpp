#include "page/model/workloads.h"

#include <algorithm>

#include "page/facts/workload_id.h"
#include "page/model/ownership.h"

namespace coppice::page {
namespace {

std::string TextOf(const std::vector<engine::Explanation::Change>& changes) {
  std::string out;
  for (const engine::Explanation::Change& change : changes) {
    out += (out.empty() ? "" : "; ") + change.text;
  }
  return out;
}

void KeepEarliest(int64_t time, int64_t& earliest) {
  if (time != 0 && (earliest == 0 || time < earliest)) earliest = time;
}

}  // namespace

Workloads::Workloads(const Facts& facts, const Answers& answers, const Places& places,
                     Numbers& numbers)
    : facts_(facts), answers_(answers), places_(places), numbers_(numbers) {
  AddPods();
  AddOwners();
  numbers_.Keep(counts_);
  for (auto& [id, count] : counts_) Finish(count);
}

Workloads::Count& Workloads::At(const std::string& id) {
  const auto [found, added] = counts_.try_emplace(id);
  WorkloadRow& row = found->second.row;
  if (!added) return found->second;
  if (auto parsed = WorkloadId::Parse(id)) {
    row.ns = std::move(parsed->ns);
    row.kind = std::move(parsed->kind);
    row.name = std::move(parsed->name);
  }
  row.id = id;
  row.number = numbers_.Of(id);
  return found->second;
}

int64_t Workloads::NumberOf(const api::ObjectKey& key, const PodFacts& pod) const {
  const auto found = counts_.find(WorkloadOf(facts_, key, pod));
  return found == counts_.end() ? 0 : found->second.row.number;
}

void Workloads::AddPods() {
  for (const auto& [key, pod] : facts_.pods) {
    if (!pod.reserves) AddPod(key, pod, At(WorkloadOf(facts_, key, pod)));
  }
}

void Workloads::AddPod(const api::ObjectKey& key, const PodFacts& pod, Count& count) {
  WorkloadRow& row = count.row;
  ++row.pods;
  count.active += pod.Active();
  count.done += pod.state == PodState::kDone;
  count.failed += pod.state == PodState::kFailed;
  count.ends += pod.state == PodState::kEnding;
  row.ready += pod.state == PodState::kReady;
  row.scheduler = pod.scheduler;
  row.priority = pod.priority;
  KeepEarliest(pod.created, row.created);
  if (row.queue.empty()) {
    const auto group = facts_.groups.find({key.ns, pod.group});
    row.queue = !pod.local_queue.empty()       ? QueueOf(key.ns, pod.local_queue)
                : group == facts_.groups.end() ? pod.queue
                                               : group->second.queue;
  }
  if (pod.Active() && pod.Placed()) {
    ++row.placed;
    row.gpus += pod.Gpus();
    count.nodes.push_back(pod.node);
  }
  if (pod.Waits()) {
    ++count.waits;
    row.asked += pod.Gpus();
    KeepEarliest(pod.created, count.oldest_wait);
    std::string group = pod.group;
    if (group.empty() && answers_.group_of) group = answers_.group_of(key);
    const bool known = !count.waiting.empty() && count.waiting.back().name == group;
    if (!group.empty() && !known) count.waiting.push_back({key.ns, group});
  }
  if ((pod.Waits() || pod.state == PodState::kStarting) && !pod.reason.empty()) {
    count.pod_reason = pod.reason;
    count.pod_message = pod.message;
    KeepEarliest(pod.created, count.oldest_wait);
  }
}

std::string Workloads::QueueOf(const std::string& ns, const std::string& local_queue) const {
  const auto found = facts_.local_queues.find({ns, local_queue});
  return found == facts_.local_queues.end() ? local_queue : found->second;
}

void Workloads::AddOwner(const OwnerFacts& owner, Count& count) {
  WorkloadRow& row = count.row;
  KeepEarliest(owner.created, row.created);
  if (!owner.queue.empty()) row.queue = owner.queue;
  if (row.queue.empty() && !owner.local_queue.empty()) {
    row.queue = QueueOf(row.ns, owner.local_queue);
  }
  row.min += owner.min;
  count.suspended |= owner.suspended;
  count.deleting |= owner.deleting && owner.owner.empty();
  count.owner_done |= owner.done;
  count.owner_failed |= owner.failed;
  count.owner_asks = std::max(count.owner_asks, owner.asked);
  if (owner.message.empty()) return;
  count.owner_reason = owner.reason;
  count.owner_message = owner.message;
}

void Workloads::AddOwners() {
  for (const auto& [key, set] : facts_.sets) {
    AddOwner(set, At(WorkloadId{key.ns, "PodCliqueSet", key.name}.ToString()));
  }
  for (const auto& [key, job] : facts_.jobs) AddOwner(job, At(WorkloadOfJob(key, job)));
  for (const auto& [key, gang] : facts_.gangs) {
    const auto found = counts_.find(gang.owner);
    if (found == counts_.end()) continue;
    AddOwner(gang, found->second);
    ++found->second.row.gangs;
  }
  for (const auto& [key, group] : facts_.groups) {
    const auto found = counts_.find(group.owner);
    // Gangs have said it already.
    if (found != counts_.end() && found->second.row.gangs == 0) AddOwner(group, found->second);
    const auto alone = counts_.find(WorkloadId{key.ns, "PodGroup", key.name}.ToString());
    if (alone != counts_.end()) AddOwner(group, alone->second);
  }
  for (const auto& [key, workload] : facts_.kueue_workloads) {
    const auto found = counts_.find(workload.owner);
    if (found != counts_.end()) AddOwner(workload, found->second);
  }
}

std::string Workloads::PhaseOf(const Count& count) {
  const WorkloadRow& row = count.row;
  const int64_t needed = row.min > 0 ? std::min(row.min, row.pods) : row.pods;
  if (count.deleting || (count.active > 0 && count.ends == count.active)) return "Ending";
  if (count.owner_failed) return "Failed";
  if (count.owner_done) return "Done";
  if (count.active == 0 && count.suspended) return "Suspended";
  if (count.active == 0 && count.failed > 0) return "Failed";
  if (count.active == 0 && count.done > 0) return "Done";
  if (count.active == 0) return "Waiting";
  if (row.placed + count.done < needed) return "Waiting";
  if (count.waits > 0) return "Partial";
  return row.ready + count.done >= needed ? "Running" : "Starting";
}

const engine::Explanation* Workloads::ExplanationOf(const Count& count) const {
  const engine::Explanation* best = nullptr;
  for (const api::ObjectKey& group : count.waiting) {
    const auto found = answers_.explanations.find(group);
    if (found == answers_.explanations.end()) continue;
    const engine::Explanation& said = found->second;
    if (said.verdict == engine::Verdict::kRuns) continue;
    if (best == nullptr || said.verdict > best->verdict) best = &said;
  }
  return best;
}

// The engine's word counts most, then that of the objects from the top down.
void Workloads::Explain(Count& count) const {
  WorkloadRow& row = count.row;
  const auto say = [&](std::string reason, std::string message) {
    row.reason = std::move(reason);
    row.message = std::move(message);
  };
  const engine::Explanation* said = ExplanationOf(count);
  if (row.phase == "Suspended" && count.owner_message.empty()) {
    const bool set = row.kind == "PodCliqueSet";
    say("Suspended", set ? "it is scaled to 0 replicas" : "it is suspended");
    row.change = set ? "scale it up" : "set spec.suspend to false";
  } else if (said != nullptr && said->verdict == engine::Verdict::kPlaceable) {
    say("Placeable", "there is room for it: the scheduler should place it in its next cycle");
    row.verdict = engine::ToString(said->verdict);
  } else if (said != nullptr) {
    say(said->reason, said->summary);
    row.change = TextOf(said->changes);
    row.verdict = engine::ToString(said->verdict);
  } else if (!count.owner_message.empty() && count.pod_reason != "SchedulingGated") {
    say(count.owner_reason.empty() ? "Waiting" : count.owner_reason, count.owner_message);
  } else if (!count.pod_reason.empty()) {
    say(count.pod_reason, count.pod_message);
  } else if (row.pods == 0) {
    say("NoPods", "it has no pods yet");
  } else {
    say("NotScheduled", "its scheduler has not said anything about it yet");
  }
}

void Workloads::Finish(Count& count) {
  WorkloadRow& row = count.row;
  row.phase = PhaseOf(count);
  if (row.min == 0) row.min = row.pods;
  row.where = places_.Describe(count.nodes);
  if (row.pods == 0) row.asked = count.owner_asks;
  const bool waits = row.phase == "Waiting" || row.phase == "Suspended" || row.phase == "Partial";
  const bool stuck = row.phase == "Starting" && !count.pod_reason.empty();
  if (!waits && !stuck) return;
  row.since = count.oldest_wait == 0 ? row.created : count.oldest_wait;
  if (stuck) {
    row.reason = count.pod_reason;
    row.message = count.pod_message;
  } else {
    Explain(count);
  }
}

std::vector<WorkloadRow> Workloads::Rows() {
  std::vector<WorkloadRow> rows;
  rows.reserve(counts_.size());
  for (auto& [id, count] : counts_) rows.push_back(count.row);
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return rows;
}

std::vector<api::ObjectKey> Workloads::WaitingGroups() const {
  std::vector<const Count*> waiting;
  for (const auto& [id, count] : counts_) {
    if (count.row.Waits() && !count.waiting.empty()) waiting.push_back(&count);
  }
  std::sort(waiting.begin(), waiting.end(), [](const Count* a, const Count* b) {
    return std::tie(a->oldest_wait, a->row.id) < std::tie(b->oldest_wait, b->row.id);
  });
  std::vector<api::ObjectKey> out;
  for (const Count* count : waiting) {
    out.insert(out.end(), count->waiting.begin(), count->waiting.end());
  }
  return out;
}

}  // namespace coppice::page
