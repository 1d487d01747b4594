#include "backends/tools/render.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/edit/grove.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "backends/framework/pods.h"
#include "backends/framework/selection.h"
#include "backends/gangs/cache_view.h"
#include "backends/gangs/gang_builder.h"
#include "backends/gangs/translate.h"
#include "backends/gangs/write_plan.h"
#include "backends/model/labels.h"
#include "backends/model/names.h"
#include "backends/workload/api_choice.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

// A fake uid that is the same on every run.
std::string FakeUid(const std::string& name) {
  const std::string hex = HashHex(name, 32);
  return fmt::format("{}-{}-4{}-8{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(13, 3),
                     hex.substr(17, 3), hex.substr(20, 12));
}

BackendConfig ConfigOf(const RenderOptions& options) {
  return options.config.profiles.empty() ? AllBackends() : options.config;
}

base::Result<Selection> Choose(const BackendSet& backends, const Value& set,
                               const std::string& asked) {
  if (asked.empty()) return SelectForSet(backends, set);
  const BackendInstance* instance = backends.ByName(asked);
  if (instance == nullptr) {
    COPPICE_ASSIGN(instance, backends.ByScheduler(asked));
  }
  return Selection{instance->backend, instance->profile,
                   SchedulerNameFor(*instance->backend, instance->profile, "")};
}

void SetOwnMetadata(const PodGangInfo& gang, const Selection& selection, Value& object) {
  const edit::meta::ObjectMeta metadata = edit::grove::PodGang(object).metadata();
  metadata.set_labels(gang.labels);
  metadata.labels()
      .Set(labels::kSchedulerName, selection.scheduler_name)
      .Set(labels::kBackend, selection.backend->name());
  const Value extra = selection.backend->GangAnnotations();
  metadata.set_annotations(gang.annotations);
  for (const json::Member& member : extra.Members()) {
    metadata.annotations().Set(member.name(), member.value);
  }
  if (metadata.annotations().Json().empty()) metadata.clear_annotations();
}

Value PodGangObject(const PodGangInfo& gang, const Selection& selection,
                    const RenderOptions& options) {
  Value object = kube::NewObject(api::kPodGangs, gang.ns, gang.name);
  (options.gang_metadata ? options.gang_metadata : SetOwnMetadata)(gang, selection, object);
  edit::grove::PodGang(object).set_spec(GangSpec(gang));
  return object;
}

Value PodObject(const GangInput& input, const PodGroupInfo& group, int64_t index) {
  Value pod = kube::NewObject(api::kPods, input.gang.ns, fmt::format("{}-{}", group.name, index));
  const edit::core::Pod edit(pod);
  const edit::meta::ObjectMeta metadata = edit.metadata();
  if (group.labels.IsObject()) metadata.set_labels(group.labels);
  if (group.annotations.IsObject()) metadata.set_annotations(group.annotations);
  const edit::Map pod_labels = metadata.labels();
  pod_labels.Set(labels::kPodGang, input.gang.name)
      .Set(labels::kPodClique, group.name)
      .Set(labels::kPodIndex, std::to_string(index));
  if (!group.scaling_group.empty()) {
    pod_labels.Set(labels::kScalingGroup, group.scaling_group)
        .Set(labels::kScalingGroupReplica, std::to_string(group.scaling_group_replica));
  }
  edit.set_spec(group.pod_spec);
  return pod;
}

// The pods of one role: those built by the operator, if given.
std::vector<Value> PodsOf(const GangInput& input, const PodGroupInfo& group,
                          const std::vector<Value>& built) {
  std::vector<Value> pods;
  for (const Value& pod : built) {
    if (kube::Label(pod, labels::kPodClique) == group.name) pods.push_back(pod);
  }
  for (int64_t i = 0; built.empty() && i < group.replicas; ++i) {
    pods.push_back(PodObject(input, group, i));
  }
  return pods;
}

base::Result<RenderedGang> RenderGang(GangInput& input, const Selection& selection,
                                      const RenderOptions& options) {
  RenderedGang rendered;
  rendered.pod_gang = PodGangObject(input.gang, selection, options);
  // Backends copy the gang's metadata.
  const view::meta::ObjectMeta metadata = view::grove::PodGang(rendered.pod_gang).metadata();
  input.gang.labels = metadata.labels().Json();
  input.gang.annotations = metadata.annotations().Json();
  Value owner = rendered.pod_gang;
  edit::grove::PodGang(owner).metadata().set_uid(input.gang.uid);
  const Translation translation = TranslateGang(*selection.backend, input);
  rendered.outcomes = translation.outcomes;
  rendered.refusal = translation.refusal;
  if (rendered.refusal) return rendered;
  for (const DesiredObject& desired : translation.objects) {
    rendered.objects.push_back(Complete(desired, owner, input.gang, *input.policy).object);
  }
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    for (Value& pod : PodsOf(input, group, options.pods)) {
      edit::core::Pod(pod).spec().set_schedulerName(selection.scheduler_name);
      COPPICE_TRY(PrepareGangPod(*selection.backend, input, {group.name, PodIndex(pod)}, pod));
      rendered.pods.push_back(std::move(pod));
    }
  }
  return rendered;
}

}  // namespace

Capabilities OfflineCapabilities(const BackendSet& backends, const std::string& kubernetes) {
  Capabilities capabilities = workload::ReleaseCapabilities(kubernetes);
  for (const BackendInstance& instance : backends.instances()) {
    if (instance.backend->name() == "default") continue;
    for (const ResourceUse& use : UsesOf(*instance.backend, instance.profile)) {
      // No release of Koordinator serves it.
      if (use.resource.QualifiedName() == "podgroups.scheduling.koordinator.sh") continue;
      // Offline it is unknown whether named queues exist.
      if (!use.write && !use.topology) continue;
      capabilities.Serve(use.resource);
      for (const std::string& field : use.fields) capabilities.AddField(use.resource, field);
    }
  }
  return capabilities;
}

base::Result<Value> Retarget(Value set, const RenderOptions& options) {
  if (options.backend.empty()) return set;
  COPPICE_ASSIGN(const auto backends, BackendSet::Make(ConfigOf(options)));
  COPPICE_ASSIGN(const Selection selection, Choose(*backends, set, options.backend));
  const edit::grove::PodCliqueSet edit(set);
  const edit::meta::ObjectMeta metadata = edit.metadata();
  metadata.annotations().Erase(labels::kBackend);
  if (metadata.annotations().Json().empty()) metadata.clear_annotations();
  for (Value& clique : edit.spec().template_().cliques().Json().MutableItems()) {
    edit::grove::PodCliqueTemplate(clique).spec().podSpec().set_schedulerName(
        selection.scheduler_name);
  }
  return set;
}

base::Result<std::vector<RenderedGang>> RenderSet(const Value& set, const RenderOptions& options) {
  const BackendConfig config = ConfigOf(options);
  COPPICE_ASSIGN(const auto backends, BackendSet::Make(config));
  COPPICE_ASSIGN(const Selection selection, Choose(*backends, set, options.backend));
  const auto capabilities =
      std::make_shared<Capabilities>(OfflineCapabilities(*backends, options.kubernetes));
  const auto view = std::make_shared<FixedView>(options.cluster);
  const TopologyLevels levels = LevelsFromBinding(options.binding);
  std::vector<RenderedGang> rendered;
  for (PodGangInfo& gang : BuildGangs(set, {.levels = levels, .scaling_group_replicas = {}})) {
    GangInput input;
    gang.uid = FakeUid(gang.ns + "/" + gang.name);
    gang.generation = 1;
    input.gang = std::move(gang);
    input.set = set;
    input.topology = levels;
    input.topology_binding = options.binding;
    input.capabilities = capabilities;
    input.cluster = view;
    input.profile = selection.profile;
    input.policy = config.policy;
    COPPICE_ASSIGN(RenderedGang one, RenderGang(input, selection, options));
    rendered.push_back(std::move(one));
  }
  return rendered;
}

}  // namespace coppice::backends
