#include "api/view/kaifiles.h"
#include "services/scheduler/answers/answer_json.h"
#include "services/scheduler/answers/runtimes.h"
#include "services/scheduler/service.h"

// Answers about the future, from a copy of the engine.

namespace coppice::services::scheduler {

base::Result<engine::Engine> Service::CopyEngine() {
  std::lock_guard lock(mutex_);
  if (engine_.inputs() == nullptr) {
    return base::Unavailable("this scheduler keeps no inputs: start it with --plugin-server-port");
  }
  return engine_.Fork();
}

base::Result<json::Value> Service::WhatIf(const WhatIfRequest& request) {
  COPPICE_ASSIGN(engine::Engine engine, CopyEngine());
  const json::Value lists = feed_.Objects();
  PriorityClasses priorities;
  for (const auto item : view::kaifiles::RawObjects(lists).priorityClasses()) {
    priorities.Put(item.Json());
  }
  COPPICE_ASSIGN(const engine::WhatIf question,
                 ReadWhatIf(request, *engine.inputs(), priorities, options_.node_pool_label_key));
  COPPICE_ASSIGN(const auto answers, AskWhatIf(engine, {question}, runtime_.executor.Now()));
  return WhatIfJson(answers.front());
}

base::Result<json::Value> Service::Eta(const api::ObjectKey& group) {
  COPPICE_ASSIGN(const engine::Engine engine, CopyEngine());
  const json::Value lists = feed_.Objects();
  const view::kaifiles::RawObjects objects(lists);
  const base::Time now = runtime_.executor.Now();
  const KnownRuntimes known =
      ReadRuntimes({objects.pods().Json().Items(), objects.podGroups().Json().Items(), {}}, now);
  const auto answer = AskEta(engine, {group.ns, group.name}, known.runtimes, now);
  if (!answer) return base::NotFound("this scheduler has no PodGroup " + group.ToString());
  return EtaJson(*answer, known.problems);
}

}  // namespace coppice::services::scheduler
