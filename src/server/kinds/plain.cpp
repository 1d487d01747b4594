#include "server/kinds/checks/kinds.h"

namespace coppice::server {
namespace {

class CountingRules : public KindRules {
 public:
  bool HasGeneration() const override { return true; }
};

}  // namespace

std::shared_ptr<const KindRules> PlainRules() {
  static const auto rules = std::make_shared<KindRules>();
  return rules;
}

std::shared_ptr<const KindRules> GenerationRules() {
  static const auto rules = std::make_shared<CountingRules>();
  return rules;
}

}  // namespace coppice::server
