#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "json/value.h"

namespace coppice::vectors {

// A case of kinds kai and generated: a cluster, built from the case and from what earlier rounds
// have made of its pods.
class EngineCase {
 public:
  explicit EngineCase(const json::Value& given);

  // What changes from round to round.
  struct Carried {
    engine::TaskStatus status;
    std::string node;
    std::vector<std::string> gpu_groups;
  };

  const std::vector<std::string>& actions() const { return actions_; }
  bool rounds() const { return rounds_; }
  // A fresh engine with the cluster as it stands at `now`.
  engine::Engine Build(base::Time now) const;
  // Takes over what the engine has made of the pods.
  void Carry(const engine::Engine& engine);

  // Pods by group, in the order of the case; the pod's name is its uid.
  const std::map<std::string, std::vector<std::string>>& groups() const { return groups_; }
  const std::vector<std::string>& pods() const { return pods_; }
  std::string NamespaceOf(const std::string& group) const;

 private:
  engine::Configuration ConfigurationOf() const;
  void AddNodes(engine::Engine& engine) const;
  void AddQueues(engine::Engine& engine, base::Time now) const;
  void AddGroups(engine::Engine& engine, base::Time now) const;
  void AddDevices(engine::Engine& engine) const;

  const json::Value case_;
  std::vector<std::string> actions_;
  bool rounds_ = false;
  bool later_round_ = false;
  std::map<std::string, std::vector<std::string>> groups_;
  std::vector<std::string> pods_;
  std::map<std::string, Carried> carried_;
  std::map<std::pair<std::string, std::string>, engine::ResourceClaimSpec> claims_;
};

}  // namespace coppice::vectors
