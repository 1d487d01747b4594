#include "backends/tools/doctor.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "api/well_known.h"
#include "backends/gangs/discovery.h"
#include "backends/gangs/rbac.h"
#include "backends/gangs/translate.h"
#include "backends/model/labels.h"
#include "backends/model/sample_gangs.h"
#include "backends/model/scheduler_signs.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

const api::Resource kAccessReviews{"authorization.k8s.io", "v1", "selfsubjectaccessreviews",
                                   "SelfSubjectAccessReview", false};

// Reads the cluster directly; what cannot be read looks absent.
class ClientView final : public ClusterView {
 public:
  explicit ClientView(kube::Client& client) : client_(client) {}

  std::optional<Value> Get(const api::Resource& resource,
                           const api::ObjectKey& key) const override {
    auto object = client_.Get(resource, key);
    return object ? std::optional<Value>(*std::move(object)) : std::nullopt;
  }
  std::vector<Value> List(const api::Resource& resource) const override {
    auto list = client_.List(resource);
    return list ? std::move(list->items) : std::vector<Value>();
  }
  // Sample gangs have no pods and own nothing.
  std::vector<Value> OwnedBy(const api::Resource&, std::string_view) const override { return {}; }
  std::vector<Value> GangPods(std::string_view, std::string_view) const override { return {}; }

 private:
  kube::Client& client_;
};

std::string WishText(const Translation& translation) {
  if (translation.refusal) {
    return fmt::format("refused: {}: {}", translation.refusal->reason,
                       translation.refusal->message);
  }
  std::string approximated;
  for (const Outcome& outcome : translation.outcomes) {
    if (outcome.kind == Outcome::Kind::kDropped) return "dropped: " + outcome.outcome;
    approximated = "approximated: " + outcome.outcome;
  }
  return approximated.empty() ? "native" : approximated;
}

class Doctor {
 public:
  Doctor(kube::Client& client, const BackendSet& backends, base::Time now)
      : client_(client), backends_(backends), signs_(SchedulerSigns::Read(client, now)) {}

  base::Result<Value> Run() {
    COPPICE_ASSIGN(Capabilities found, Discover(client_, AllUses()));
    capabilities_ = std::make_shared<const Capabilities>(std::move(found));
    view_ = std::make_shared<ClientView>(client_);
    if (capabilities_->Serves(api::kClusterTopologyBindings)) {
      const std::vector<Value> bindings = view_->List(api::kClusterTopologyBindings);
      if (!bindings.empty()) binding_ = bindings.front();
    }
    if (capabilities_->Serves(api::kPodGangs)) gangs_ = view_->List(api::kPodGangs);
    levels_ = binding_.IsNull() ? LabelledLevels() : LevelsFromBinding(binding_);
    Value report =
        Value::Object({{"server", Value::Object({{"version", capabilities_->server_version}})}});
    ReportApis(report);
    report.Set("fields", Fields());
    Value entries = Value::Array();
    for (const BackendInstance& instance : backends_.instances()) {
      COPPICE_ASSIGN(Value entry, Examine(instance));
      entries.Append(std::move(entry));
    }
    report.Set("backends", std::move(entries));
    return report;
  }

 private:
  // Without a binding: those of the usual levels that nodes are labelled with.
  TopologyLevels LabelledLevels() const {
    TopologyLevels levels = UsualLevels();
    std::erase_if(levels.levels, [this](const TopologyLevel& level) {
      return !view_->AnyNodeHasLabel(level.key);
    });
    return levels.empty() ? UsualLevels() : levels;
  }

  std::vector<ResourceUse> AllUses() const {
    std::vector<ResourceUse> uses = {{.resource = api::kPodCliqueSets},
                                     {.resource = api::kPodCliques},
                                     {.resource = api::kPodCliqueScalingGroups},
                                     {.resource = api::kPodGangs},
                                     {.resource = api::kClusterTopologyBindings}};
    for (const BackendInstance& instance : backends_.instances()) {
      for (ResourceUse& use : UsesOf(*instance.backend, instance.profile)) {
        uses.push_back(std::move(use));
      }
    }
    return uses;
  }

  void ReportApis(Value& report) const {
    std::map<std::string, std::set<std::string>> served;
    std::set<std::string> wanted;
    for (const ResourceUse& use : AllUses()) {
      wanted.insert(use.resource.QualifiedName());
      if (capabilities_->Serves(use.resource)) {
        served[use.resource.QualifiedName()].insert(use.resource.version);
      }
    }
    Value apis = Value::Array(), missing = Value::Array();
    for (const std::string& name : wanted) {
      const auto found = served.find(name);
      if (found == served.end()) {
        missing.Append(name);
        continue;
      }
      Value versions = Value::Array();
      for (const std::string& version : found->second) versions.Append(version);
      apis.Append(Value::Object({{"resource", name}, {"versions", std::move(versions)}}));
    }
    report.Set("apis", std::move(apis));
    report.Set("missing", std::move(missing));
  }

  Value Fields() const {
    Value fields = Value::Array();
    std::set<std::string> seen;
    for (const ResourceUse& use : AllUses()) {
      if (!capabilities_->Serves(use.resource)) continue;
      const std::string resource =
          fmt::format("{}/{}", use.resource.QualifiedName(), use.resource.version);
      for (const std::string& field : use.fields) {
        if (!seen.insert(resource + field).second) continue;
        fields.Append(Value::Object({{"resource", resource},
                                     {"field", field},
                                     {"kept", capabilities_->HasField(use.resource, field)}}));
      }
    }
    return fields;
  }

  base::Result<Value> Examine(const BackendInstance& instance) {
    Value wishes = Value::Object();
    std::string reason;
    for (SampleGang& sample : SampleGangs(levels_)) {
      const Translation translation =
          TranslateGang(*instance.backend, InputFor(instance, std::move(sample.gang)));
      wishes.Set(sample.wish, WishText(translation));
      if (sample.wish == "gang" && translation.refusal) {
        reason = fmt::format("{}: {}", translation.refusal->reason, translation.refusal->message);
      }
    }
    COPPICE_ASSIGN(Value rights, MissingRights(std::string(instance.backend->name())));
    if (reason.empty()) reason = HeldGang(instance.backend->name());
    if (reason.empty() && !rights.empty()) reason = "rights are missing";
    const std::string scheduler = SchedulerNameFor(*instance.backend, instance.profile, "");
    const auto seen = signs_.Seen(instance.backend->name(), scheduler);
    if (reason.empty() && seen == false) {
      reason = fmt::format(
          "no sign that scheduler {} runs: no Lease of it is held, no running pod is called so, "
          "and "
          "it has not scheduled a pod recently",
          scheduler);
    }
    Value entry = Value::Object({{"name", instance.backend->name()},
                                 {"schedulerName", scheduler},
                                 {"works", reason.empty()},
                                 {"wishes", std::move(wishes)},
                                 {"missingRights", std::move(rights)}});
    if (seen) entry.Set("schedulerSeen", *seen);
    if (!reason.empty()) entry.Set("reason", reason);
    return entry;
  }

  // What a gang of the backend says that its process cannot hand over: rights are asked for here as
  // whoever runs the doctor, and may be missing to who runs the backend.
  std::string HeldGang(std::string_view backend) const {
    for (const Value& gang : gangs_) {
      const Value& synced = kube::Condition(gang, "BackendSynced");
      const std::string_view reason = synced["reason"].AsString();
      const bool refused =
          reason == reasons::kBackendUnavailable || reason == reasons::kRejectedByApi;
      if (kube::Label(gang, labels::kBackend) != backend || !refused) continue;
      return fmt::format("PodGang {}: {}: {}", kube::KeyOf(gang).ToString(), reason,
                         synced["message"].AsString());
    }
    return {};
  }

  GangInput InputFor(const BackendInstance& instance, PodGangInfo gang) const {
    GangInput input;
    input.gang = std::move(gang);
    input.topology = levels_;
    input.topology_binding = binding_;
    input.capabilities = capabilities_;
    input.cluster = view_;
    input.profile = instance.profile;
    input.policy = backends_.config().policy;
    return input;
  }

  base::Result<Value> MissingRights(const std::string& id) {
    Value missing = Value::Array();
    const Value role = MakeClusterRole(backends_, "doctor", {id});
    for (const Value& rule : role["rules"].Items()) {
      const std::string group = rule["apiGroups"].At(0).ToString();
      const std::string resource = rule["resources"].At(0).ToString();
      if (!IsServed(group, resource)) continue;
      for (const Value& verb : rule["verbs"].Items()) {
        COPPICE_ASSIGN(const bool allowed, IsAllowed(group, resource, verb.ToString()));
        if (allowed) continue;
        missing.Append(
            fmt::format("{} {}{}{}", verb.AsString(), resource, group.empty() ? "" : ".", group));
      }
    }
    return missing;
  }

  // Rights to what is not there are not missed. Kinds that no backend asked about are built in.
  bool IsServed(const std::string& group, const std::string& resource) const {
    const std::string plural = resource.substr(0, resource.find('/'));
    bool asked = false;
    for (const ResourceUse& use : AllUses()) {
      if (use.resource.group != group || use.resource.plural != plural) continue;
      asked = true;
      if (capabilities_->Serves(use.resource)) return true;
    }
    return !asked;
  }

  base::Result<bool> IsAllowed(const std::string& group, const std::string& resource,
                               const std::string& verb) {
    const std::string id = fmt::format("{} {} {}", verb, group, resource);
    if (const auto known = allowed_.find(id); known != allowed_.end()) return known->second;
    const size_t slash = resource.find('/');
    Value attributes =
        Value::Object({{"group", group}, {"resource", resource.substr(0, slash)}, {"verb", verb}});
    if (slash != std::string::npos) attributes.Set("subresource", resource.substr(slash + 1));
    Value review =
        Value::Object({{"apiVersion", kAccessReviews.ApiVersion()},
                       {"kind", kAccessReviews.kind},
                       {"spec", Value::Object({{"resourceAttributes", std::move(attributes)}})}});
    const auto answer = client_.Create(kAccessReviews, review);
    if (!answer) return answer.error().During("asking for rights");
    return allowed_[id] = (*answer)["status"]["allowed"].AsBool();
  }

  kube::Client& client_;
  const BackendSet& backends_;
  const SchedulerSigns signs_;
  std::shared_ptr<const Capabilities> capabilities_;
  std::shared_ptr<const ClusterView> view_;
  Value binding_;
  std::vector<Value> gangs_;
  TopologyLevels levels_;
  std::map<std::string, bool> allowed_;
};

}  // namespace

base::Result<Value> Diagnose(kube::Client& client, const BackendSet& backends, base::Time now) {
  return Doctor(client, backends, now).Run();
}

}  // namespace coppice::backends
