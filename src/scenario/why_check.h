#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "kube/executor/stepper.h"

namespace coppice::scenario {

// What `coppice why` answers on a stepper: a list of explanations, each with its "text" for people.
using Why =
    std::function<base::Result<json::Value>(kube::Client& client, kube::Stepper& stepper,
                                            const std::string& ns, const std::string& target)>;

// A scenario's `why`, "" when some explanation is as wanted and else what is wrong:
//
//   {of: train, ns: default, verdict: Waits, reason: Resources, group: pg-train,
//    says: ["8 of 16 GPUs are free"], changes: ["free 8 GPUs on node-0"], or: ["uncordon node-1"],
//    not: ["Affinity"]}
//
// `changes` are all that there are, in any order, and `or` is all of the alternative; `group` is a
// part of the group's name. Amounts in thousandths ("936000m") are never right.
std::string CheckWhy(const json::Value& wanted, const json::Value& answers);

}  // namespace coppice::scenario
