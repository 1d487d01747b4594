// The two exceptions for old sets: packDomain becomes pack.required, and a constraint without a
// topology name gets one.
#include <gtest/gtest.h>

#include "api/schema/errors/field_error.h"
#include "operator/webhooks/checks/checks.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSetTemplate;
using api::grove::TopologyConstraint;

PodCliqueSetTemplate With(const TopologyConstraint& constraint) {
  PodCliqueSetTemplate set;
  set.cliques.push_back({.name = "w"});
  set.topologyConstraint = constraint;
  return set;
}

TopologyConstraint Old(std::optional<std::string> name = "topo") {
  return {.topologyName = std::move(name), .packDomain = "rack"};
}

TopologyConstraint New(const std::string& required, const std::string& preferred = "",
                       const std::string& name = "topo") {
  TopologyConstraint constraint{.topologyName = name};
  constraint.pack.emplace().required = required;
  if (!preferred.empty()) constraint.pack->preferred = preferred;
  return constraint;
}

std::string Complaint(const TopologyConstraint& after, const TopologyConstraint& before) {
  Causes causes;
  CheckTopologyImmutable(With(after), With(before), causes);
  return causes.empty() ? "" : api::Describe(causes);
}

TEST(TopologyMigration, TheSameDomainMayMove) { EXPECT_EQ(Complaint(New("rack"), Old()), ""); }

TEST(TopologyMigration, AnotherDomainMayNot) {
  EXPECT_EQ(Complaint(New("host"), Old()),
            "spec.template.topologyConstraint: Forbidden: PodCliqueSet deprecated packDomain "
            "migration can only move packDomain to pack.required without changing the required or "
            "preferred topology domain (old required=\"rack\" preferred=\"\", new "
            "required=\"host\" preferred=\"\")");
  EXPECT_NE(Complaint(New("rack", "host"), Old()), "");
}

TEST(TopologyRepair, AMissingNameMayBeAdded) {
  Causes causes;
  EXPECT_EQ(CheckTopologyImmutable(With(Old()), With(Old(std::nullopt)), causes),
            TopologyChange::kRepair);
  EXPECT_TRUE(causes.empty());
}

TEST(TopologyRepair, WithAnotherDomainItIsAChange) {
  TopologyConstraint other = Old();
  other.packDomain = "host";
  EXPECT_EQ(Complaint(other, Old(std::nullopt)),
            "spec.template.topologyConstraint.topologyName: Forbidden: topologyName cannot be "
            "changed from \"\" to \"topo\"");
}

TEST(TopologyRepair, UnchangedConstraintsOfThePastAreNoComplaint) {
  EXPECT_EQ(Complaint(Old(), Old()), "");
}

TEST(TopologyWarning, PackDomainIsDeprecated) {
  EXPECT_EQ(
      TopologyWarnings(With(Old()), nullptr),
      (std::vector<std::string>{"spec.template.topologyConstraint.packDomain is deprecated; use "
                                "spec.template.topologyConstraint.pack.required instead"}));
}

}  // namespace
}  // namespace coppice::operators::webhooks
