#include "operator/runtime/context.h"

#include "api/well_known.h"
#include "base/log.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators {
namespace {

constexpr std::string_view kControllerIndex = "controller-uid";
constexpr std::string_view kPartOfIndex = "part-of";
constexpr std::string_view kBaseGangIndex = "base-gang";

std::string PartOfKey(std::string_view ns, std::string_view set) {
  return std::string(ns) + "/" + std::string(set);
}

kube::Informer& Indexed(kube::Informer& informer) {
  informer.AddIndex(std::string(kControllerIndex), [](const json::Value& object) {
    const std::string uid(ControllerUid(object));
    return uid.empty() ? std::vector<std::string>() : std::vector{uid};
  });
  return informer;
}

kube::Informer& IndexedBySet(kube::Informer& informer) {
  informer.AddIndex(std::string(kPartOfIndex), [](const json::Value& object) {
    if (kube::Label(object, labels::kManagedBy) != labels::kOperator)
      return std::vector<std::string>();
    return std::vector{PartOfKey(kube::Namespace(object), kube::Label(object, labels::kPartOf))};
  });
  return informer;
}

kube::Informer& Plain(const kube::Runtime& runtime, const kube::Resource& resource) {
  return Indexed(runtime.cache.InformerFor(resource));
}

// Indexes PodCliques of scaled gangs by the gang that they wait for.
kube::Informer& IndexedByBaseGang(kube::Informer& informer) {
  informer.AddIndex(std::string(kBaseGangIndex), [](const json::Value& object) {
    const std::string_view base = kube::Label(object, labels::kBaseGang);
    if (base.empty()) return std::vector<std::string>();
    return std::vector{PartOfKey(kube::Namespace(object), base)};
  });
  return informer;
}

// Only caches our own secrets.
kube::Informer& OwnSecrets(const kube::Runtime& runtime) {
  return Indexed(runtime.cache.InformerFor(
      api::kSecrets,
      {.label_selector = std::string(labels::kManagedBy) + "=" + std::string(labels::kOperator)}));
}

// Events of the operator are also logged; those about the parts of a gang only at debug level.
void LogEvent(const json::Value& object, std::string_view type, std::string_view reason,
              std::string_view message) {
  const bool of_part = reason == "PodCreateSuccessful" || reason == "PodDeleteSuccessful" ||
                       reason == "PodCliqueCreateOrUpdateSuccessful";
  const auto level = type == "Warning" ? base::LogLevel::kWarn
                     : of_part         ? base::LogLevel::kDebug
                                       : base::LogLevel::kInfo;
  if (level < base::GetLogLevel()) return;
  base::Log(level, message,
            {{"kind", kube::Kind(object)},
             {"object", kube::KeyOf(object).ToString()},
             {"reason", reason}});
}

}  // namespace

Context::Context(kube::Manager& manager, const Config& config_in,
                 std::shared_ptr<backends::Backends> backends_in)
    : runtime(manager.runtime()),
      config(config_in),
      backends_owner(std::move(backends_in)),
      backends(*backends_owner),
      sets(Plain(runtime, api::kPodCliqueSets)),
      cliques(IndexedByBaseGang(IndexedBySet(Plain(runtime, api::kPodCliques)))),
      groups(Plain(runtime, api::kPodCliqueScalingGroups)),
      gangs(Plain(runtime, api::kPodGangs)),
      bindings(Plain(runtime, api::kClusterTopologyBindings)),
      pods(Plain(runtime, api::kPods)),
      services(Plain(runtime, api::kServices)),
      service_accounts(Plain(runtime, api::kServiceAccounts)),
      roles(Plain(runtime, api::kRoles)),
      role_bindings(Plain(runtime, api::kRoleBindings)),
      secrets(OwnSecrets(runtime)),
      autoscalers(Plain(runtime, api::kHorizontalPodAutoscalers)) {}

void Context::Event(const json::Value& object, std::string_view type, std::string_view reason,
                    std::string_view message) const {
  LogEvent(object, type, reason, message);
  runtime.events.Event(object, type, reason, message, "grove-operator");
}

std::vector<json::Value> Context::OwnedBy(const kube::Informer& informer,
                                          std::string_view uid) const {
  return informer.ByIndex(kControllerIndex, uid);
}

std::vector<json::Value> Context::PartOf(const kube::Informer& informer, std::string_view ns,
                                         std::string_view set) const {
  return informer.ByIndex(kPartOfIndex, PartOfKey(ns, set));
}

std::vector<json::Value> Context::CliquesAfter(std::string_view ns,
                                               std::string_view base_gang) const {
  return cliques.ByIndex(kBaseGangIndex, PartOfKey(ns, base_gang));
}

std::optional<api::grove::PodCliqueSet> Context::Set(std::string_view ns,
                                                     std::string_view name) const {
  std::optional<json::Value> object = sets.Get({std::string(ns), std::string(name)});
  if (!object) return std::nullopt;
  return api::grove::ReadPodCliqueSet(std::move(*object));
}

}  // namespace coppice::operators
