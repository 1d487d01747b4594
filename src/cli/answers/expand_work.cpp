#include "cli/answers/expand_work.h"

#include <fmt/format.h>

#include <set>

#include "api/edit/any.h"
#include "api/edit/core.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "base/log.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "stack/stack.h"

namespace coppice::cli {
namespace {

using json::Value;

// Controllers create pods within a second or two; then nothing more comes.
constexpr base::Duration kStep = std::chrono::seconds(5);
constexpr int kMostSteps = 12;

// An object of another cluster as one would create it here.
Value Fresh(const Value& object) {
  Value out = object;
  const edit::any::Object edit(out);
  edit.metadata().clear_resourceVersion();
  edit.metadata().clear_uid();
  edit.metadata().clear_creationTimestamp();
  edit.metadata().clear_ownerReferences();
  edit.metadata().clear_managedFields();
  edit.metadata().clear_finalizers();
  return out;
}

class Workshop {
 public:
  // Its components' log is of no interest to the user.
  explicit Workshop(base::Time now) : level_(base::GetLogLevel()), stepper_(0, now) {
    base::SetLogLevel(base::LogLevel::kError);
  }
  ~Workshop() {
    if (stack_) stack_->Stop();
    base::SetLogLevel(level_);
  }

  base::Status Start(const std::vector<Value>& surroundings) {
    stack::StackOptions options;
    COPPICE_ASSIGN(options.components, stack::ParseComponents("all"));
    COPPICE_ASSIGN(stack_, stack::Stack::Make(stepper_, std::move(options)));
    // What the cluster has by itself stays as it is.
    for (const Value& object : surroundings) (void)Create(Fresh(object));
    COPPICE_TRY(stack_->Start());
    stepper_.RunUntilIdle();
    return {};
  }

  base::Status Submit(Value document) {
    const std::string name = fmt::format("{} {}", kube::Kind(document), kube::Name(document));
    if (kube::Namespace(document).empty()) {
      edit::any::Object(document).metadata().set_namespace_("default");
    }
    const std::string ns(kube::Namespace(document));
    if (namespaces_.insert(ns).second) CreateNamespace(ns);
    const base::Status created = Create(Fresh(document));
    return created ? created : created.error().During(name);
  }

  base::Result<std::vector<Value>> Made() {
    size_t before = 0;
    std::vector<Value> made;
    for (int i = 0; i < kMostSteps; ++i) {
      stepper_.RunFor(kStep);
      COPPICE_ASSIGN(made, ListMade());
      if (!made.empty() && made.size() == before) break;
      before = made.size();
    }
    return made;
  }

  // The schedulers that the pods name, for an error.
  std::string Schedulers() {
    std::set<std::string> names;
    const auto pods = stack_->client().List(api::kPods, {});
    if (!pods) return "";
    for (const Value& pod : pods->items) {
      names.emplace(view::core::Pod(pod).spec().schedulerName());
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

 private:
  base::Status Create(Value object) {
    const auto resource = api::FindResource(kube::Kind(object), kube::ApiVersion(object));
    if (!resource) return base::InvalidArgument("unknown kind");
    if (!resource->namespaced) edit::any::Object(object).metadata().clear_namespace_();
    const auto created = stack_->client().Create(*resource, object);
    return created ? base::Status() : created.error();
  }

  void CreateNamespace(const std::string& name) {
    Value ns;
    const edit::core::Namespace edit(ns);
    edit.set_apiVersion("v1").set_kind("Namespace");
    edit.metadata().set_name(name);
    (void)stack_->client().Create(api::kNamespaces, ns);
  }

  // Pods of a PodGroup, and the groups.
  base::Result<std::vector<Value>> ListMade() {
    COPPICE_ASSIGN(kube::ObjectList groups, stack_->client().List(api::kPodGroups, {}));
    COPPICE_ASSIGN(const kube::ObjectList pods, stack_->client().List(api::kPods, {}));
    std::set<std::string> known;
    for (const Value& group : groups.items) known.insert(kube::KeyOf(group).ToString());
    std::vector<Value> out = std::move(groups.items);
    for (const Value& pod : pods.items) {
      const api::ObjectKey group{
          std::string(kube::Namespace(pod)),
          std::string(kube::Annotation(pod, services::names::kPodGroupAnnotation))};
      if (known.contains(group.ToString())) out.push_back(pod);
    }
    return out;
  }

  const base::LogLevel level_;
  kube::Stepper stepper_;
  std::unique_ptr<stack::Stack> stack_;
  std::set<std::string> namespaces_;
};

}  // namespace

base::Result<std::vector<Value>> ExpandWork(const std::vector<Value>& documents,
                                            const std::vector<Value>& surroundings,
                                            base::Time now) {
  Workshop workshop(now);
  COPPICE_TRY(workshop.Start(surroundings));
  for (const Value& document : documents) COPPICE_TRY(workshop.Submit(document));
  COPPICE_ASSIGN(std::vector<Value> made, workshop.Made());
  if (!made.empty()) return made;
  const std::string schedulers = workshop.Schedulers();
  if (schedulers.empty()) return base::InvalidArgument("it creates no pods");
  return base::InvalidArgument(
      fmt::format("its pods are for scheduler {}, and only {} can be asked", schedulers,
                  services::names::kSchedulerName));
}

}  // namespace coppice::cli
