#pragma once

#include <map>
#include <string>
#include <vector>

#include "json/value.h"

// Brings objects of a cluster to the form in which operator cases are recorded: pods by hostname,
// hashes by order of appearance, without what differs from run to run.
namespace coppice::vectors {

class Normaliser {
 public:
  explicit Normaliser(std::string ns) : ns_(std::move(ns)) {}

  // "Pod/pod:HOSTNAME", "PodGroup.scheduling.run.ai/app-0".
  std::string KeyOf(const json::Value& object) const;
  // Remembers which pods exist, so that their names can be replaced anywhere.
  void Learn(const std::vector<json::Value>& objects);
  json::Value Normalise(const json::Value& object) const;

 private:
  json::Value Replace(const json::Value& value) const;

  const std::string ns_;
  std::map<std::string, std::string, std::less<>> pod_names_;  // To "pod:HOSTNAME".
};

// Takes out what differed between the recordings themselves: paths like
// "/PodGang/app-0/spec/podgroups/0/podReferences/0/name", or a whole object.
void LeaveOut(const json::Value& varies, std::map<std::string, json::Value>& state);

// Compares what was recorded with what is there. Hashes are equal up to renaming: the maps must
// agree over all objects of a case.
class StateComparison {
 public:
  // Differences as "path: expected …, got …".
  std::vector<std::string> Compare(const json::Value& recorded,
                                   const std::map<std::string, json::Value>& actual);

 private:
  void CompareValue(const std::string& path, const json::Value& recorded, const json::Value& actual,
                    std::vector<std::string>& differences);
  bool SameText(const std::string& recorded, const std::string& actual);
  bool SameHash(const std::string& recorded, const std::string& actual);

  std::map<std::string, std::string> to_actual_;
  std::map<std::string, std::string> to_recorded_;
};

}  // namespace coppice::vectors
