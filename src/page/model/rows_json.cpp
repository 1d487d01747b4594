#include <cmath>

#include "api/edit/page.h"
#include "json/write.h"
#include "page/model/rows.h"

namespace coppice::page {
namespace {

json::Value ListOf(const std::vector<std::string>& texts) {
  json::Value out = json::Value::Array();
  for (const std::string& text : texts) out.Append(text);
  return out;
}

// Sums of fractions: no more digits than anyone reads.
double Rounded(double value) { return std::round(value * 1000) / 1000; }

void SetAmount(const QueueAmount& amount, edit::page::Amount out) {
  out.set_quota(Rounded(amount.quota))
      .set_limit(Rounded(amount.limit))
      .set_weight(amount.weight)
      .set_held(Rounded(amount.held))
      .set_asked(Rounded(amount.asked));
  if (amount.fair_share >= 0) out.set_fairShare(Rounded(amount.fair_share));
}

void SetSource(const SourceRow& source, edit::page::Source out) {
  out.set_kind(source.kind)
      .set_name(source.name)
      .set_connected(source.connected)
      .set_error(source.error)
      .set_since(source.since)
      .set_now(source.now)
      .set_notices(ListOf(source.notices));
}

}  // namespace

std::string ToJson(const NodeRow& row) {
  json::Value out;
  const edit::page::Node node(out);
  node.set_id(row.id)
      .set_path(ListOf(row.path))
      .set_gpus(row.has.gpus)
      .set_cpu(Rounded(row.has.cpu))
      .set_cpuHeld(Rounded(row.cpu_held))
      .set_memory(row.has.memory)
      .set_memoryHeld(row.memory_held)
      .set_free(row.free)
      .set_pods(row.pods)
      .set_cells(row.cells);
  if (!row.state.empty()) node.set_state(ListOf(row.state));
  if (!row.taints.empty()) node.set_taints(ListOf(row.taints));
  if (!row.stranded.empty()) node.set_stranded(row.stranded);
  return json::Write(out);
}

std::string ToJson(const WorkloadRow& row) {
  json::Value out;
  const edit::page::Workload work(out);
  work.set_id(row.id)
      .set_number(row.number)
      .set_phase(row.phase)
      .set_pods(row.pods)
      .set_placed(row.placed)
      .set_ready(row.ready)
      .set_min(row.min)
      .set_gpus(Rounded(row.gpus))
      .set_scheduler(row.scheduler)
      .set_created(row.created);
  if (row.gangs > 0) work.set_gangs(row.gangs);
  if (row.asked > 0) work.set_asked(Rounded(row.asked));
  if (!row.queue.empty()) work.set_queue(row.queue);
  if (row.priority != 0) work.set_priority(row.priority);
  if (!row.where.empty()) work.set_where(row.where);
  if (!row.Waits()) return json::Write(out);
  work.set_since(row.since).set_reason(row.reason).set_message(row.message);
  if (!row.change.empty()) work.set_change(row.change);
  if (!row.verdict.empty()) work.set_verdict(row.verdict);
  return json::Write(out);
}

std::string ToJson(const QueueRow& row) {
  json::Value out;
  const edit::page::Queue queue(out);
  queue.set_id(row.id)
      .set_depth(row.depth)
      .set_parent(row.facts.parent)
      .set_kind(row.facts.kind)
      .set_priority(row.facts.priority);
  SetAmount(row.facts.gpu, queue.gpu());
  SetAmount(row.facts.cpu, queue.cpu());
  SetAmount(row.facts.memory, queue.memory());
  return json::Write(out);
}

std::string ToJson(const OverviewRow& row) {
  json::Value out;
  const edit::page::Overview overview(out);
  overview.set_id(row.id)
      .set_gpus(row.gpus)
      .set_held(Rounded(row.held))
      .set_stranded(row.stranded)
      .set_parts(Rounded(row.parts))
      .set_largestHole(row.largest_hole)
      .set_nodes(row.nodes)
      .set_nodesReady(row.nodes_ready)
      .set_pods(row.pods)
      .set_workloads(row.workloads)
      .set_started(row.started)
      .set_levels(ListOf(row.levels))
      .set_reasons(json::Value::Array())
      .set_changes(json::Value::Array());
  for (const ReasonRow& reason : row.reasons) {
    overview.add_reasons()
        .set_reason(reason.reason)
        .set_workloads(reason.workloads)
        .set_asked(Rounded(reason.asked));
  }
  for (const ChangeRow& change : row.changes) {
    overview.add_changes()
        .set_at(change.at)
        .set_kind(change.kind)
        .set_object(change.object)
        .set_text(change.text);
  }
  SetSource(row.source, overview.source());
  return json::Write(out);
}

}  // namespace coppice::page
