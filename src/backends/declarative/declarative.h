#pragma once

#include <memory>

#include "backends/framework/backend.h"

namespace coppice::backends::declarative {

// A backend defined by a declaration instead of code, for schedulers whose gangs are PodGroup-like
// objects. docs/custom_backend.md explains every field.
//
//   name: acme
//   schedulerNames: [acme-scheduler]
//   gate: acme.example.com/gang
//   objects:
//   - resource: {group: acme.example.com, version: v1, plural: gangs, kind: Gang}
//     forEach: gang.groups            # optional: one object per element, as `item`
//     template: {metadata: {name: "${gang.name}"}, spec: {minMember: "${gang.minMember}"}}
//     immutable: [spec.queue]
//     createOnly: []
//   pod:
//     labels: {acme.example.com/gang: "${gang.name}"}
//     annotations: {}
//     coreOnly: {labels: {}, annotations: {}}   # not on surplus pods
//   holdSurplus: false
//   needsGang: false                  # pods wait for the PodGang, because they use its uid
//   topology: [gang.required, gang.preferred, config.required, …]   # what templates express
//   status: {unschedulable: {condition: Unschedulable, status: "True"}, unhealthy: {phase: Failed}}
//
// Fails with the field's path if the declaration is invalid.
base::Result<std::unique_ptr<SchedulerBackend>> MakeBackend(const json::Value& declaration);

}  // namespace coppice::backends::declarative
