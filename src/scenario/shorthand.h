#pragma once

#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::scenario {

// Short forms of what most scenarios create and expect. All are written inside a step:
//
//   queues: [{name: a, parent: top, gpus: 4, limit: 8, weight: 1, spec: {priority: 200}}]
//   groups: [{name: g, queue: a, spec: {minMember: 2}}]
//   pods:
//   - {name: p, count: 3, gpus: 1, queue: a, group: g, subGroup: s, priority: train, cpu: "2",
//      labels: {…}, annotations: {…}, spec: {…}, container: {…},
//      owner: {apiVersion: …, kind: …, name: …}}
//
// Queues have no limit and no quota of what is not named. Pods go to kai-scheduler; with a count
// they are called p-0, p-1, …; all carry the label app with the name.
base::Result<std::vector<json::Value>> ExpandObjects(const json::Value& step);

//   running: {p: 3}      # pods of app=p that run and stay
//   waiting: {p: 1}      # pods of app=p that have no node
//
// as expectations (see expectation.h), after those that the step lists itself.
json::Value ExpandExpectations(const json::Value& step);

}  // namespace coppice::scenario
