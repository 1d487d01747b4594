#include "operator/common/names.h"

#include <fmt/format.h>

#include <charconv>

#include "kube/object.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::names {
namespace {

std::string WithoutPrefix(std::string_view name, const std::string& prefix) {
  return std::string(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
}

}  // namespace

std::string Replica(std::string_view set, int i) { return fmt::format("{}-{}", set, i); }

std::string ServiceDns(std::string_view set, int i, std::string_view ns) {
  return fmt::format("{}.{}.svc.cluster.local", Replica(set, i), ns);
}

std::string StandaloneClique(std::string_view set, int i, std::string_view clique) {
  return fmt::format("{}-{}-{}", set, i, clique);
}

std::string ScalingGroup(std::string_view set, int i, std::string_view group) {
  return fmt::format("{}-{}-{}", set, i, group);
}

std::string MemberClique(std::string_view scaling_group, int j, std::string_view clique) {
  return fmt::format("{}-{}-{}", scaling_group, j, clique);
}

std::string GangOfMember(std::string_view set, int i, std::string_view scaling_group, int j,
                         int min_available) {
  if (j < min_available) return Replica(set, i);
  return fmt::format("{}-{}", scaling_group, j - min_available);
}

std::string Role(std::string_view set) { return fmt::format("grove.io:pcs:{}", set); }

std::string TokenSecret(std::string_view set) { return fmt::format("{}-ic-sat", set); }

std::string LegacyTokenSecret(std::string_view set) {
  return fmt::format("{}-initc-sa-token-secret", set);
}

std::string Claim(std::string_view owner, std::optional<int> index,
                  std::string_view claim_template) {
  if (!index) return fmt::format("{}-all-{}", owner, claim_template);
  return fmt::format("{}-{}-{}", owner, *index, claim_template);
}

std::string ComputeDomain(std::string_view set, int i, std::string_view group) {
  return fmt::format("{}-{}-{}", set, i, group);
}

std::string CliqueTemplateName(const json::Value& pod_clique) {
  const std::string_view group = kube::Label(pod_clique, labels::kScalingGroup);
  const std::string prefix =
      group.empty()
          ? fmt::format("{}-{}-", kube::Label(pod_clique, labels::kPartOf),
                        kube::Label(pod_clique, labels::kSetReplica))
          : fmt::format("{}-{}-", group, kube::Label(pod_clique, labels::kScalingGroupReplica));
  return WithoutPrefix(kube::Name(pod_clique), prefix);
}

std::string GroupConfigName(const json::Value& scaling_group) {
  return WithoutPrefix(kube::Name(scaling_group),
                       fmt::format("{}-{}-", kube::Label(scaling_group, labels::kPartOf),
                                   kube::Label(scaling_group, labels::kSetReplica)));
}

std::optional<int> IndexLabel(const json::Value& object, std::string_view label) {
  const std::string_view text = kube::Label(object, label);
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index < 0) return std::nullopt;
  return index;
}

}  // namespace coppice::operators::names
