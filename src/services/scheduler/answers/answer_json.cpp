#include "services/scheduler/answers/answer_json.h"

#include "api/edit/answers.h"

namespace coppice::services::scheduler {
namespace {

using json::Value;

std::string FullName(const engine::GroupKey& group) {
  return group.namespace_name + "/" + group.name;
}
std::string FullName(const engine::PodKey& pod) { return pod.namespace_name + "/" + pod.name; }

void AddChange(const engine::Explanation::Change& change, edit::answers::Change out) {
  out.set_kind(change.kind)
      .set_where(change.where)
      .set_amount(change.amount)
      .set_resource(change.resource)
      .set_text(change.text);
}

void SetGroup(const engine::WhatIfAnswer::Group& group, edit::answers::WhatIfGroup out) {
  out.set_group(FullName(group.group))
      .set_runs(group.runs)
      .set_waitsForOthers(group.waits_for_others)
      .set_pods(Value::Array());
  for (const auto& place : group.pods) {
    out.add_pods().set_pod(FullName(place.pod)).set_node(place.node);
  }
  if (group.why) out.set_why(ExplanationJson(*group.why));
}

void SetDifference(const engine::WhatIfAnswer::Difference& difference,
                   edit::answers::WhatIfDifference out) {
  out.set_group(FullName(difference.group))
      .set_object(difference.object)
      .set_without(difference.without)
      .set_with(difference.with)
      .set_why(difference.why);
}

std::string_view StateText(engine::EtaAnswer::State state) {
  switch (state) {
    case engine::EtaAnswer::State::kRuns:
      return "Runs";
    case engine::EtaAnswer::State::kWaits:
      return "Waits";
    case engine::EtaAnswer::State::kNotReady:
      return "NotReady";
  }
  return "Waits";
}

Value Texts(const std::vector<std::string>& texts) {
  Value out = Value::Array();
  for (const std::string& text : texts) out.Append(text);
  return out;
}

void AddEnds(const engine::EtaAnswer& answer, edit::answers::Eta out) {
  for (const auto& end : answer.rests_on) {
    out.add_restsOn()
        .set_group(FullName(end.group))
        .set_object(end.object)
        .set_source(engine::ToString(end.source))
        .set_samples(static_cast<int64_t>(end.samples))
        .set_end(base::FormatRfc3339(end.end));
  }
}

}  // namespace

Value ExplanationJson(const engine::Explanation& explanation) {
  Value out;
  const edit::answers::Explanation answer(out);
  answer.set_group(FullName(explanation.group))
      .set_object(explanation.object)
      .set_verdict(engine::ToString(explanation.verdict))
      .set_reason(explanation.reason)
      .set_summary(explanation.summary)
      .set_message(explanation.message)
      .set_nodes(Value::Object())
      .set_evidence(Value::Object())
      .set_domain(explanation.domain)
      .set_largestDomain(explanation.largest_domain)
      .set_changes(Value::Array());
  for (const auto& [reason, count] : explanation.nodes) answer.nodes().Set(reason, count);
  for (const auto& [name, number] : explanation.evidence) answer.evidence().Set(name, number);
  for (const auto& change : explanation.changes) AddChange(change, answer.add_changes());
  for (const auto& change : explanation.alternative) AddChange(change, answer.add_alternative());
  return out;
}

Value WhatIfJson(const engine::WhatIfAnswer& answer) {
  Value out;
  const edit::answers::WhatIf edit(out);
  edit.set_runs(answer.runs)
      .set_cycles(answer.cycles)
      .set_submitted(Value::Array())
      .set_evicted(Value::Array())
      .set_delayed(Value::Array())
      .set_sooner(Value::Array());
  for (const auto& group : answer.submitted) SetGroup(group, edit.add_submitted());
  for (const auto& evicted : answer.evicted) {
    edit.add_evicted()
        .set_pod(FullName(evicted.pod))
        .set_group(FullName(evicted.group))
        .set_node(evicted.node)
        .set_why(evicted.why)
        .set_again(evicted.again);
  }
  for (const auto& delayed : answer.delayed) SetDifference(delayed, edit.add_delayed());
  for (const auto& sooner : answer.sooner) SetDifference(sooner, edit.add_sooner());
  return out;
}

Value EtaJson(const engine::EtaAnswer& answer, const std::vector<engine::InputProblem>& problems) {
  Value out;
  const edit::answers::Eta edit(out);
  edit.set_group(FullName(answer.group))
      .set_object(answer.object)
      .set_state(StateText(answer.state))
      .set_queue(answer.queue)
      .set_position(answer.position)
      .set_length(answer.length)
      .set_queuePosition(answer.queue_position)
      .set_queueLength(answer.queue_length)
      .set_runs(answer.runs)
      .set_started(answer.started)
      .set_why(answer.why)
      .set_nodes(Texts(answer.nodes))
      .set_unknown(Texts(answer.unknown))
      .set_ahead(Value::Array())
      .set_restsOn(Value::Array())
      .set_problems(Value::Array());
  if (answer.p50) edit.set_p50(base::FormatRfc3339(*answer.p50));
  if (answer.p90) edit.set_p90(base::FormatRfc3339(*answer.p90));
  for (const auto& job : answer.ahead) {
    edit.add_ahead().set_group(FullName(job.group)).set_queue(job.queue).set_priority(job.priority);
  }
  AddEnds(answer, edit);
  for (const auto& problem : problems) {
    edit.add_problems().set_kind(problem.kind).set_name(problem.name).set_message(problem.message);
  }
  return out;
}

}  // namespace coppice::services::scheduler
