#include "tests/vectors/grouper_cases.h"
#include "tests/vectors/kind.h"

namespace coppice::vectors {
namespace {

Outcome RunGrouper(const json::Value& value) {
  Outcome outcome;
  std::string difference = RunGrouperCase(value);
  if (!difference.empty()) outcome.differences.push_back(std::move(difference));
  return outcome;
}

const KindRegistration kGrouper{"grouper", RunGrouper};

}  // namespace
}  // namespace coppice::vectors
