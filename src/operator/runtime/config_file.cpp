#include "operator/runtime/config_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/key/groveconfig.h"
#include "api/schema/errors/field_error.h"
#include "api/view/groveconfig.h"
#include "base/clock.h"

namespace coppice::operators {
namespace {

namespace groveconfig = view::groveconfig;
using Causes = std::vector<base::FieldCause>;
using RootKey = key::groveconfig::OperatorConfiguration;

void ReadWorkers(groveconfig::ControllerConfiguration controllers, std::string_view name,
                 int& workers, Causes& causes) {
  const json::Value& value =
      controllers.Json()[name][key::groveconfig::Controller::concurrentSyncs];
  if (value.IsNull()) return;
  workers = static_cast<int>(value.AsInt());
  if (!value.IsInt() || workers <= 0) {
    causes.push_back(api::InvalidField(fmt::format("controllers.{}.concurrentSyncs", name), value,
                                       "must be greater than 0"));
  }
}

void CheckOneOf(const json::Value& value, const std::string& field,
                const std::vector<std::string>& allowed, Causes& causes) {
  if (value.IsNull()) return;
  for (const std::string& one : allowed) {
    if (value.AsString() == one) return;
  }
  causes.push_back(api::UnsupportedField(field, value, allowed));
}

base::Duration DurationOf(const json::Value& value, base::Duration fallback,
                          const std::string& field, Causes& causes) {
  if (value.IsNull()) return fallback;
  const auto parsed = base::ParseDuration(value.AsString());
  if (parsed && *parsed > base::Duration::zero()) return *parsed;
  causes.push_back(api::InvalidField(field, value, "must be greater than 0"));
  return fallback;
}

void CheckLeaderElection(groveconfig::LeaderElectionConfiguration configuration, Causes& causes) {
  if (!configuration.enabled()) return;
  using Key = key::groveconfig::LeaderElectionConfiguration;
  const json::Value& election = configuration.Json();
  const auto lease = DurationOf(election[Key::leaseDuration], std::chrono::seconds(15),
                                "leaderElection.leaseDuration", causes);
  const auto renew = DurationOf(election[Key::renewDeadline], std::chrono::seconds(10),
                                "leaderElection.renewDeadline", causes);
  DurationOf(election[Key::retryPeriod], std::chrono::seconds(2), "leaderElection.retryPeriod",
             causes);
  if (lease <= renew) {
    causes.push_back(api::InvalidField("leaderElection.leaseDuration", election[Key::leaseDuration],
                                       "must be greater than renewDeadline"));
  }
  for (const std::string_view name : {Key::resourceLock, Key::resourceName}) {
    if (election.Has(name) && election[name].AsString().empty()) {
      causes.push_back(api::RequiredField(fmt::format("leaderElection.{}", name)));
    }
  }
}

enum class Type { kMapping, kList, kText, kBool, kNumber };

bool HasType(const json::Value& value, Type type) {
  switch (type) {
    case Type::kMapping:
      return value.IsObject();
    case Type::kList:
      return value.IsArray();
    case Type::kText:
      return value.IsString();
    case Type::kBool:
      return value.IsBool();
    case Type::kNumber:
      return value.IsInt();
  }
  return false;
}

struct Field {
  std::vector<std::string_view> path;
  Type type;
};

// Fields that would silently read as their default if they had the wrong type.
const std::vector<Field>& TypedFields() {
  static const std::vector<Field> fields = {
      {{"compatibility"}, Type::kText},
      {{"scheduler"}, Type::kMapping},
      {{"scheduler", "profiles"}, Type::kList},
      {{"scheduler", "plugins"}, Type::kList},
      {{"scheduler", "declarations"}, Type::kList},
      {{"scheduler", "defaultProfileName"}, Type::kText},
      {{"scheduler", "unknownScheduler"}, Type::kText},
      {{"topologyAwareScheduling"}, Type::kMapping},
      {{"topologyAwareScheduling", "enabled"}, Type::kBool},
      {{"network"}, Type::kMapping},
      {{"network", "autoMNNVLEnabled"}, Type::kBool},
      {{"authorizer"}, Type::kMapping},
      {{"authorizer", "enabled"}, Type::kBool},
      {{"authorizer", "exemptServiceAccountUserNames"}, Type::kList},
      {{"controllers"}, Type::kMapping},
      {{"server"}, Type::kMapping},
      {{"server", "webhooks"}, Type::kMapping},
      {{"leaderElection"}, Type::kMapping},
      {{"leaderElection", "enabled"}, Type::kBool},
      {{"runtimeClientConnection"}, Type::kMapping},
      {{"runtimeClientConnection", "burst"}, Type::kNumber},
  };
  return fields;
}

void CheckTypes(const json::Value& document, Causes& causes) {
  static constexpr const char* kNames[] = {"a mapping", "a list", "text", "true or false",
                                           "a whole number"};
  for (const Field& field : TypedFields()) {
    const json::Value* value = &document;
    for (const std::string_view member : field.path) value = &(*value)[member];
    if (value->IsNull() || HasType(*value, field.type)) continue;
    causes.push_back(
        api::InvalidField(fmt::format("{}", fmt::join(field.path, ".")), *value,
                          fmt::format("must be {}", kNames[static_cast<size_t>(field.type)])));
  }
}

base::Error Refused(Causes causes) {
  return base::Error(base::ErrorCode::kInvalid, "operator configuration: " + api::Describe(causes))
      .WithCauses(std::move(causes));
}

void CheckPorts(groveconfig::ServerConfiguration server, Causes& causes) {
  using Key = key::groveconfig::ServerConfiguration;
  for (const std::string_view name : {Key::webhooks, Key::healthProbes, Key::metrics}) {
    const json::Value& port = server.Json()[name][key::groveconfig::Server::port];
    if (port.IsNull() || (port.IsInt() && port.AsInt() >= 0 && port.AsInt() <= 65535)) continue;
    causes.push_back(api::InvalidField(fmt::format("server.{}.port", name), port,
                                       "must be between 0 and 65535"));
  }
}

void CheckProcess(groveconfig::OperatorConfiguration document, Causes& causes) {
  using WebhookKey = key::groveconfig::WebhookServer;
  CheckPorts(document.server(), causes);
  CheckOneOf(document.Json()[RootKey::logLevel], "logLevel", {"debug", "info", "error"}, causes);
  CheckOneOf(document.Json()[RootKey::logFormat], "logFormat", {"json", "text"}, causes);
  CheckOneOf(document.server().webhooks().Json()[WebhookKey::certProvisionMode],
             "server.webhooks.certProvisionMode", {"auto", "manual"}, causes);
  if (const int64_t burst = document.runtimeClientConnection().burst(); burst < 0) {
    causes.push_back(api::InvalidField("runtimeClientConnection.burst", burst,
                                       "must be greater than or equal to 0"));
  }
  CheckLeaderElection(document.leaderElection(), causes);
}

void ReadLog(groveconfig::OperatorConfiguration document, Config& config) {
  if (const auto level = base::ParseLogLevel(document.logLevel())) config.log_level = *level;
  if (document.has_logFormat()) config.json_log = document.logFormat() == "json";
}

struct Members {
  std::string_view path;
  std::vector<std::string_view> names;
};

// The known members of mappings in which a typo would go unnoticed.
const std::vector<Members>& KnownMembers() {
  static const std::vector<Members> known = {
      {"",
       {"apiVersion", "kind", "metadata", "compatibility", "runtimeClientConnection",
        "leaderElection", "server", "debugging", "controllers", "logLevel", "logFormat",
        "authorizer", "topologyAwareScheduling", "network", "scheduler"}},
      {"scheduler",
       {"profiles", "defaultProfileName", "unknownScheduler", "plugins", "declarations"}},
      {"authorizer",
       {"enabled", "exemptServiceAccountUserNames", "reconcilerServiceAccountUserName"}},
      {"topologyAwareScheduling", {"enabled"}},
      {"network", {"autoMNNVLEnabled"}},
      {"controllers", {"podCliqueSet", "podClique", "podCliqueScalingGroup", "podGang"}}};
  return known;
}

void AddUnknown(const json::Value& mapping, const std::string& path,
                const std::vector<std::string_view>& names, std::vector<std::string>& unknown) {
  for (const json::Member& member : mapping.Members()) {
    if (std::find(names.begin(), names.end(), member.name()) != names.end()) continue;
    unknown.push_back(path.empty() ? std::string(member.name())
                                   : fmt::format("{}.{}", path, member.name()));
  }
}

}  // namespace

std::vector<std::string> UnknownFields(const json::Value& document) {
  std::vector<std::string> unknown;
  for (const Members& members : KnownMembers()) {
    const std::string path(members.path);
    AddUnknown(path.empty() ? document : document[path], path, members.names, unknown);
  }
  const json::Value& profiles =
      groveconfig::OperatorConfiguration(document).scheduler().profiles().Json();
  for (size_t i = 0; i < profiles.size(); ++i) {
    AddUnknown(profiles.At(i), fmt::format("scheduler.profiles[{}]", i),
               {"name", "backend", "enabled", "config"}, unknown);
  }
  return unknown;
}

base::Result<Config> ReadConfig(const json::Value& document, const Config& defaults) {
  Config config = defaults;
  Causes causes;
  if (!document.IsNull() && !document.IsObject()) {
    return base::Error(base::ErrorCode::kInvalid, "operator configuration: must be a mapping");
  }
  CheckTypes(document, causes);
  if (!causes.empty()) return Refused(std::move(causes));
  const groveconfig::OperatorConfiguration file(document);
  if (file.has_scheduler() || file.has_compatibility()) {
    COPPICE_ASSIGN(config.backends, backends::ParseConfig(document));
  }
  config.topology_aware_scheduling =
      file.topologyAwareScheduling().enabled(defaults.topology_aware_scheduling);
  config.auto_mnnvl = file.network().autoMNNVLEnabled(defaults.auto_mnnvl);
  config.authorizer = file.authorizer().enabled(defaults.authorizer);
  for (const std::string_view user : file.authorizer().exemptServiceAccountUserNames()) {
    config.exempt_users.emplace_back(user);
  }
  using Key = key::groveconfig::ControllerConfiguration;
  ReadWorkers(file.controllers(), Key::podCliqueSet, config.set_workers, causes);
  ReadWorkers(file.controllers(), Key::podClique, config.clique_workers, causes);
  ReadWorkers(file.controllers(), Key::podCliqueScalingGroup, config.group_workers, causes);
  CheckProcess(file, causes);
  ReadLog(file, config);
  if (causes.empty()) return config;
  return Refused(std::move(causes));
}

}  // namespace coppice::operators
