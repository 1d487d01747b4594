#pragma once

#include "backends/framework/backend.h"

namespace coppice::backends {

// A gang and its context as one document, for backends that are not compiled in: templates and
// shared objects read the same document.
//
//   gang:     name, namespace, uid, generation, baseGang, labels, annotations, priorityClassName,
//             minMember, minResources, topologyName, topology {required, preferred},
//             groups [{name, template, minReplicas, replicas, requests, topology, config,
//                      scalingGroup, podSpec}],
//             configs [{name, groups, topology}]
//   options:  the profile's config
//   set:      the PodCliqueSet, if known
//   levels:   [{domain, key}] of the topology, broadest first
//   served:   ["group/version/plural"], fields: ["group/version/plural:spec.path"]
json::Value GangDocument(const GangInput& input);

}  // namespace coppice::backends
