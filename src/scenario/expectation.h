#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::scenario {

// One line of a scenario's `expect` list, checked against the API:
//
//   {kind: Pod, labels: "app=a", where: {status.phase: Running}, count: 3}
//   {kind: PodGang, name: a-0, has: {status: {phase: Running}}}
//   {kind: Pod, name: a, absent: true}
//   {kind: Pod, labels: …, same: metadata.labels.rack}      # all equal
//   {kind: Pod, labels: …, nodeLabel: topo/rack, distinct: 1}
//   {kind: Pod, labels: …, kept: before}                    # all that were remembered so are there
//   {kind: Pod, labels: …, gone: before}                    # none of them is
//   {kind: Pod, labels: b, readyAfter: {labels: a, count: 2}}   # not before 2 of the others were
//
// `ns` defaults to "default"; `where` compares one value per dotted path ("*" means present, null
// absent); `has` is a part that must be contained.
//
// `remembered`: uids of objects that an earlier step gave a name.
using Remembered = std::map<std::string, std::set<std::string>, std::less<>>;
base::Result<std::string> CheckExpectation(kube::Client& client, const json::Value& expectation,
                                           const Remembered& remembered = {});

// True when `part` is contained in `whole`: objects by member, lists item by item, scalars equal.
bool Contains(const json::Value& whole, const json::Value& part);
// The value at a dotted path; a number selects a list item. Keys with dots go in brackets:
// metadata.labels[grove.io/podgang].
const json::Value& AtPath(const json::Value& value, std::string_view path);

}  // namespace coppice::scenario
