#pragma once

#include <memory>

#include "server/core/core.h"
#include "server/model/admission.h"

// Kubernetes' built-in admission plugins, one per file.
namespace coppice::server {

// Default limits and requests of containers, bounds of containers, pods and claims.
std::shared_ptr<AdmissionPlugin> LimitRanger(Core& core);
// Every pod gets an existing service account and its token.
std::shared_ptr<AdmissionPlugin> ServiceAccounts(Core& core);
// A kubelet writes only what is its own.
std::shared_ptr<AdmissionPlugin> NodeRestriction(Core& core);
// Priority, runtime class and the tolerations that every pod has.
std::shared_ptr<AdmissionPlugin> PodDefaults(Core& core);
// A PodGroup names a template that exists (1.36).
std::shared_ptr<AdmissionPlugin> WorkloadExists(Core& core);
// ValidatingAdmissionPolicies.
std::shared_ptr<AdmissionPlugin> ValidatingPolicies(Core& core);
// The total usage of a namespace. Must come last: it counts what it admits.
std::shared_ptr<AdmissionPlugin> Quotas(Core& core);

// Adds all of them, and the cluster's webhooks, but those named in `disabled`.
void AddBuiltinPlugins(Core& core, const std::vector<std::string>& disabled);

}  // namespace coppice::server
