#pragma once

#include <set>
#include <string>

#include "json/value.h"
#include "server/model/kind_rules.h"

// The parts of a pod spec, each validated in its own file.
namespace coppice::server {

// Returns the volumes' names.
std::set<std::string> ValidateVolumes(const json::Value& volumes, const std::string& path,
                                      Causes& causes);
void ValidateMounts(const json::Value& mounts, const std::set<std::string>& volumes,
                    const std::string& path, Causes& causes);
// Volumes without a file system.
void ValidateBlockDevices(const json::Value& devices, const std::set<std::string>& volumes,
                          const std::string& path, Causes& causes);

// Variables by themselves and from elsewhere.
void ValidateEnvironment(const json::Value& container, const std::string& path, Causes& causes);
// A reference to a field of the pod; in files of a volume whole maps can be had.
void ValidateFieldRef(const json::Value& ref, bool volume, const std::string& path, Causes& causes);
void ValidateResourceFieldRef(const json::Value& ref, const std::string& path, Causes& causes);

// Probes and lifecycle hooks of a container, with `grace` seconds to terminate.
void ValidateProbes(const json::Value& container, int64_t grace, const std::string& path,
                    Causes& causes);
// A port's number or name.
void CheckPortReference(const json::Value& port, const std::string& path, Causes& causes);
void CheckPortName(const json::Value& name, const std::string& path, Causes& causes);

void ValidateContainerSecurity(const json::Value& context, const std::string& path, Causes& causes);
// What the containers share: users, processes, the machine's network.
void ValidatePodSecurity(const json::Value& spec, const std::string& path, Causes& causes);
// Names: the pod's own, and those it knows.
void ValidateHostNames(const json::Value& spec, const std::string& path, Causes& causes);

// Where it may run: labels, affinity, tolerations, spread, gates.
void ValidatePlacement(const json::Value& spec, const std::string& path, Causes& causes);
void ValidateTolerations(const json::Value& tolerations, const std::string& path, Causes& causes);
void ValidateAffinity(const json::Value& affinity, const std::string& path, Causes& causes);

}  // namespace coppice::server
