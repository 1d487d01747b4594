#include "server/kinds/checks/kinds.h"

namespace coppice::server {
namespace {

class CountingRules : public KindRules {
 public:
  bool HasGeneration() const override { return true; }
};

class CertificateKind : public KindRules {
 public:
  std::vector<api::SelectableField> SelectableFields() const override {
    return {"spec.signerName"};
  }
};

class ReplicationControllerKind : public CountingRules {
 public:
  std::vector<api::SelectableField> SelectableFields() const override {
    return {{"status.replicas", "0"}};
  }
};

}  // namespace

std::shared_ptr<const KindRules> CertificateRules() {
  static const auto rules = std::make_shared<CertificateKind>();
  return rules;
}

std::shared_ptr<const KindRules> ReplicationControllerRules() {
  static const auto rules = std::make_shared<ReplicationControllerKind>();
  return rules;
}

std::shared_ptr<const KindRules> PlainRules() {
  static const auto rules = std::make_shared<KindRules>();
  return rules;
}

std::shared_ptr<const KindRules> GenerationRules() {
  static const auto rules = std::make_shared<CountingRules>();
  return rules;
}

}  // namespace coppice::server
