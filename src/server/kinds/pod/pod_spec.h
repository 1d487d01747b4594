#pragma once

#include <set>
#include <string>

#include "json/value.h"
#include "server/model/kind_rules.h"

// Pod specs, of pods themselves and of the templates in other kinds.
namespace coppice::server {

void DefaultPodSpec(json::Value& spec);
// metadata and spec of a template.
void DefaultPodTemplate(json::Value& pod_template);

void ValidatePodSpec(const json::Value& spec, const std::string& path, Causes& causes);
void ValidatePodTemplate(const json::Value& pod_template, const std::string& path, Causes& causes);
void ValidateResources(const json::Value& resources, const std::string& path, Causes& causes);
// Of a whole pod: what its containers share.
void ValidatePodResources(const json::Value& resources, const std::string& path, Causes& causes);
// What a container takes of the pod's claims, whose names are `known`.
void ValidateClaimUse(const json::Value& claims, const std::set<std::string>& known,
                      const std::string& path, Causes& causes);

// What a pod takes of each resource altogether: `field` is "requests" or "limits".
json::Value PodTotals(const json::Value& spec, std::string_view field);

// Whether all its containers have ended, and none will start again.
inline bool IsOver(const json::Value& pod) {
  const std::string_view phase = pod["status"]["phase"].AsString();
  return phase == "Succeeded" || phase == "Failed";
}
// "Guaranteed", "Burstable" or "BestEffort".
std::string_view QosClassOf(const json::Value& spec);

}  // namespace coppice::server
