#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

// The logic of the init container that delays a pod until the PodCliques it starts after have
// enough ready pods. `coppice initc` runs it against a cluster; simulated nodes run it in-process.
namespace coppice::operators::initc {

inline constexpr char kContainerName[] = "grove-initc";
inline constexpr char kSubcommand[] = "initc";  // A subcommand of this program.

// The number of ready pods needed of each PodClique.
using Requirements = std::map<std::string, int>;

// Parses arguments of the form "<PodClique>:<count>", as passed to --podcliques. Blank ones are
// ignored; a missing name or a count below one is an error.
base::Result<Requirements> ParseRequirements(const std::vector<std::string>& arguments);
// The same from a container's args ("--podcliques=a:1", "-p", "a:1").
base::Result<Requirements> RequirementsOfContainer(const json::Value& container);

// Counts ready pods as they come and go. A pod that is being deleted never counts: when a gang
// restarts, the new pods wait for each other and not for the terminating ones. Not thread-safe.
class Waiter {
 public:
  explicit Waiter(Requirements requirements) : requirements_(std::move(requirements)) {}

  // Call when a pod of the same gang was added, changed or removed.
  void Observe(const json::Value& pod);
  void Remove(const json::Value& pod);
  bool Satisfied() const;
  // "a: 1 of 2 ready", for the log; empty when satisfied.
  std::string Missing() const;

 private:
  const Requirements requirements_;
  std::map<std::string, std::string> ready_;  // Name of the ready pod → PodClique.
};

}  // namespace coppice::operators::initc
