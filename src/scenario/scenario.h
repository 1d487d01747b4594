#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "scenario/why_check.h"
#include "sim/foreign_scheduler.h"

namespace coppice::scenario {

// A scenario is a YAML document: a cluster, and steps that do something and say what must follow.
// It runs the whole product on the embedded server in virtual time.
//
//   name: a gang waits for room and then starts together
//   cluster: {topology: 1x2, pools: [{count: 2, gpus: 8}]}     # see cluster_shape.h
//   components: all                                            # or a list; default all
//   operator: {compatibility: grove, …} # an OperatorConfiguration
//   rivals: binder                      # a second process that runs these beside the first
//   admission: {blockNvidiaVisibleDevices: true}
//   schedulers: [kueue, volcano]        # whose CustomResourceDefinitions the cluster has
//   before: [{apiVersion: …}]           # there before any component starts
//   steps:
//   - apply: [{apiVersion: …, kind: …}, …]        # created, or merged into what exists
//   - expect: [{kind: Pod, count: 2, where: {spec.nodeName: null}}]   # see expectation.h
//     within: 30s                                 # until all hold; default 60s
//     meanwhile: [{kind: Pod, atLeast: 1}]        # hold all along until then
//     hold: 10s                                   # and then all keep holding this long
//   - pods: […]                                   # queues, groups, pods, running, waiting: the
//     running: {p: 3}                             # short forms of shorthand.h
//   - why: {of: p, verdict: Waits, …}              # what `coppice why` says; see why_check.h
//   - patch: {kind: Pod, name: a, patch: {…}, type: merge|json|strategic, subresource: status}
//                                                 # or labels instead of name, for all that have
//                                                 them
//   - bind: {labels: …, node: node-0}             # what schedulers of others do; see
//   - placeholders: {labels: …, message: …}       # foreign_scheduler.h
//   - scale: {kind: PodCliqueSet, name: a, replicas: 3}
//   - delete: {kind: Pod, name: a}                # or labels instead of name
//   - refuse: {apply: {…}, message: "part of the error"}
//   - advance: 30s
//   - restart: true                               # every component starts afresh
//   - operator: {…}                               # the same with another OperatorConfiguration
//   - remember: {before: {kind: Pod, labels: …}}  # for `kept` and `gone` of an expectation
//   - components: all                             # the same with other components
//   - faults: {error: 0.1, watchCut: 0.2}         # between components and server; {} ends them
//   - keep: app=a                                 # from now on nobody may take these pods away
//
// In the end, when events come in order (seed 0), all must come to rest: nothing is written for
// minutes. `restless: …` says why a scenario's work never ends.
//
// After every step the invariants are checked (invariants/invariants.h). When one fails, and
// COPPICE_SCENARIO_DUMP is set, the sets, gangs, groups, pods and events that there were are
// printed; with COPPICE_SCENARIO_TRACE every write of a component.
struct ScenarioOptions {
  uint64_t seed = 0;  // Of the stepper: 0 runs tasks in order.
  // Now and then a guarded write of the operator fails as if another writer was first, and the
  // operator starts afresh after a step.
  bool disturbed = false;
  // Calls fail and watches break all the while. Expectations have longer to come true; a scenario
  // may say by `faults: …` why its own need not.
  bool faults = false;
  Why why;                // For scenarios with such steps.
  sim::ForeignCrds crds;  // For scenarios with `schedulers`.
};

// What went wrong, with the step, or success.
base::Status RunScenario(const json::Value& scenario, const ScenarioOptions& options = {});
// All documents of a file, also when one of them fails.
base::Status RunScenarioFile(const std::string& path, const ScenarioOptions& options = {});

}  // namespace coppice::scenario
