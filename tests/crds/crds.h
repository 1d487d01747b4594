#pragma once

#include <string>
#include <vector>

#include "json/value.h"

// CustomResourceDefinitions for tests. COPPICE_CRDS names a folder with those that the projects
// publish, a sub-folder per project; it is not part of the repository.
namespace coppice::test_crds {

// The CRDs of one project: "grove", "kai", "koordinator", "kueue", "scheduler-plugins" or
// "volcano". The published ones where COPPICE_CRDS is set; else Grove's and KAI's as we generate
// them, and the small ones of this folder for the others. Stops the program if there are none.
std::vector<json::Value> Of(const std::string& project);

// Every published CRD below COPPICE_CRDS, in the order of their names; empty where it is not set.
const std::vector<json::Value>& Published();
// The names of `ours` where there is something to compare them with; else none.
std::vector<std::string> NamesToCompare(const std::vector<json::Value>& ours);
// The one of this name among `crds`; null when there is none.
json::Value Find(const std::vector<json::Value>& crds, const std::string& name);

}  // namespace coppice::test_crds
