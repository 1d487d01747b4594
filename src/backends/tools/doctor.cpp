#include "backends/tools/doctor.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "api/edit/authorization.h"
#include "api/edit/backendfiles.h"
#include "api/grove/pod_gang.h"
#include "api/view/authorization.h"
#include "api/view/grove.h"
#include "api/view/rbac.h"
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

// Reads the cluster directly; what cannot be read appears absent.
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
    Value report;
    const edit::backendfiles::DoctorReport out(report);
    out.server().set_version(capabilities_->server_version);
    ReportApis(out);
    ReportFields(out);
    out.set_backends(Value::Array());
    for (const BackendInstance& instance : backends_.instances()) {
      COPPICE_TRY(Examine(instance, out.add_backends()));
    }
    return report;
  }

 private:
  // Without a binding: those of the usual levels for which nodes have labels.
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

  void ReportApis(edit::backendfiles::DoctorReport report) const {
    std::map<std::string, std::set<std::string>> served;
    std::set<std::string> wanted;
    for (const ResourceUse& use : AllUses()) {
      wanted.insert(use.resource.QualifiedName());
      if (capabilities_->Serves(use.resource)) {
        served[use.resource.QualifiedName()].insert(use.resource.version);
      }
    }
    report.set_apis(Value::Array());
    Value missing = Value::Array();
    for (const std::string& name : wanted) {
      const auto found = served.find(name);
      if (found == served.end()) {
        missing.Append(name);
        continue;
      }
      Value versions = Value::Array();
      for (const std::string& version : found->second) versions.Append(version);
      report.add_apis().set_resource(name).set_versions(std::move(versions));
    }
    report.set_missing(std::move(missing));
  }

  void ReportFields(edit::backendfiles::DoctorReport report) const {
    report.set_fields(Value::Array());
    std::set<std::string> seen;
    for (const ResourceUse& use : AllUses()) {
      if (!capabilities_->Serves(use.resource)) continue;
      const std::string resource =
          fmt::format("{}/{}", use.resource.QualifiedName(), use.resource.version);
      for (const std::string& field : use.fields) {
        if (!seen.insert(resource + field).second) continue;
        report.add_fields().set_resource(resource).set_field(field).set_kept(
            capabilities_->HasField(use.resource, field));
      }
    }
  }

  base::Status Examine(const BackendInstance& instance, edit::backendfiles::BackendReport report) {
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
    report.set_name(instance.backend->name())
        .set_schedulerName(scheduler)
        .set_works(reason.empty())
        .set_wishes(std::move(wishes))
        .set_missingRights(std::move(rights));
    if (seen) report.set_schedulerSeen(*seen);
    if (!reason.empty()) report.set_reason(reason);
    return {};
  }

  // A gang's condition saying that the backend's process could not hand it over. Our permission
  // checks use the doctor's user, and the backend's user may have fewer permissions.
  std::string HeldGang(std::string_view backend) const {
    for (const Value& gang : gangs_) {
      const view::grove::Condition synced(kube::Condition(gang, api::grove::kGangBackendSynced));
      const std::string_view reason = synced.reason();
      const bool refused =
          reason == reasons::kBackendUnavailable || reason == reasons::kRejectedByApi;
      if (kube::Label(gang, labels::kBackend) != backend || !refused) continue;
      return fmt::format("PodGang {}: {}: {}", kube::KeyOf(gang).ToString(), reason,
                         synced.message());
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
    for (const view::rbac::PolicyRule rule : view::rbac::ClusterRole(role).rules()) {
      const std::string group(rule.apiGroups().At(0));
      const std::string resource(rule.resources().At(0));
      if (!IsServed(group, resource)) continue;
      for (const std::string_view verb : rule.verbs()) {
        COPPICE_ASSIGN(const bool allowed, IsAllowed(group, resource, verb));
        if (allowed) continue;
        missing.Append(fmt::format("{} {}{}{}", verb, resource, group.empty() ? "" : ".", group));
      }
    }
    return missing;
  }

  // Permissions for resources that are not served do not count as missing. Kinds that no backend
  // declares are built in.
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
                               std::string_view verb) {
    const std::string id = fmt::format("{} {} {}", verb, group, resource);
    if (const auto known = allowed_.find(id); known != allowed_.end()) return known->second;
    const size_t slash = resource.find('/');
    Value review;
    const edit::authorization::SelfSubjectAccessReview edit(review);
    edit.set_apiVersion(kAccessReviews.ApiVersion()).set_kind(kAccessReviews.kind);
    const edit::authorization::ResourceAttributes attributes = edit.spec().resourceAttributes();
    attributes.set_group(group).set_resource(resource.substr(0, slash)).set_verb(verb);
    if (slash != std::string::npos) attributes.set_subresource(resource.substr(slash + 1));
    const auto answer = client_.Create(kAccessReviews, review);
    if (!answer) return answer.error().During("asking for rights");
    using view::authorization::SelfSubjectAccessReview;
    return allowed_[id] = SelfSubjectAccessReview(*answer).status().allowed();
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
