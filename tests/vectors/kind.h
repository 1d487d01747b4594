#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "json/value.h"

// A kind of recorded case is a folder name and how one case of it is run. Kinds register
// themselves: add a file with a KindRegistration and the runner knows the folder.

namespace coppice::vectors {

struct Outcome {
  // Differences as "path: expected …, got …"; none: the case passed.
  std::vector<std::string> differences;
  // For kinds that also compare everything upstream did: whether that was equal in full.
  std::optional<bool> equal_in_full;
  std::string first_full_difference;
};

struct Kind {
  std::string folder;
  std::function<Outcome(const json::Value&)> run;
};

std::vector<Kind>& Kinds();

struct KindRegistration {
  KindRegistration(std::string folder, std::function<Outcome(const json::Value&)> run) {
    Kinds().push_back({std::move(folder), std::move(run)});
  }
};

}  // namespace coppice::vectors
