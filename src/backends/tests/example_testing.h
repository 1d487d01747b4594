#pragma once

#include <string>

#include "backends/tests/world_testing.h"

namespace coppice::backends {

// An open Volcano queue.
void OpenQueue(World& world, const std::string& name);

// The worked examples' cluster and set, with its owner chain, topology, nodes (n1 and n2 in rack
// r1), gang and pods, created as by the operator.
class Example {
 public:
  // `gang_changes` is merged into the gang before it is created.
  Example(World& world, const std::string& scheduler, const json::Value& gang_changes = {});

  json::Value Gang();
  json::Value Condition(const std::string& type);
  // "True Synced", "False InvalidGang: …".
  std::string Synced();

  // Creates the gang's pods, as named by its podReferences, and initializes the gang.
  void CreatePods();
  // The scaled gang of the example with its pods.
  json::Value CreateScaledGang();
  // Removes gates like the operator; returns how many pods were released.
  int Release();
  // Binds and runs all ungated pods.
  void BindAll();

 private:
  void CreatePodsOf(const json::Value& gang);
  json::Value OwnedBySet(json::Value gang) const;

  World& world_;
  const std::string scheduler_;
  json::Value set_;
  json::Value gang_;
};

}  // namespace coppice::backends
