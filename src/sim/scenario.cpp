#include "sim/scenario.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "api/well_known.h"
#include "json/write.h"
#include "json/yaml.h"
#include "kube/object.h"
#include "kube/stepper.h"
#include "sim/components.h"
#include "sim/expectation.h"
#include "sim/invariants.h"
#include "sim/stack.h"

namespace coppice::sim {
namespace {

using json::Value;

constexpr base::Duration kDefaultWithin = std::chrono::seconds(60);
constexpr base::Duration kCheckEvery = std::chrono::milliseconds(500);

base::Result<api::Resource> ResourceOf(const Value& object) {
  const auto resource =
      api::FindResource(object["kind"].AsString(), object["apiVersion"].AsString());
  if (!resource) return base::InvalidArgument("unknown kind in " + json::Write(object));
  return *resource;
}

base::Result<base::Duration> DurationOf(const Value& value, base::Duration fallback) {
  return value.IsNull() ? base::Result<base::Duration>(fallback)
                        : base::ParseDuration(value.AsString());
}

kube::PatchType PatchTypeOf(std::string_view name) {
  if (name == "json") return kube::PatchType::kJson;
  return name == "strategic" ? kube::PatchType::kStrategic : kube::PatchType::kMerge;
}

class Run {
 public:
  Run(const Value& scenario, const ScenarioOptions& options)
      : scenario_(scenario), options_(options), stepper_(options.seed) {}

  base::Status Go() {
    COPPICE_TRY(Prepare());
    const auto steps = scenario_["steps"].Items();
    for (size_t i = 0; i < steps.size(); ++i) {
      const base::Status status = Step(steps[i]);
      if (!status) {
        return status.error().During(fmt::format("{}: step {} (seed {})",
                                                 scenario_["name"].AsString(), i + 1,
                                                 options_.seed));
      }
    }
    return {};
  }

 private:
  base::Status Prepare() {
    StackOptions stack;
    COPPICE_ASSIGN(stack.shape, ReadClusterShape(scenario_["cluster"]));
    COPPICE_ASSIGN(stack.components,
                   ParseComponents(scenario_["components"].AsString("all")));
    stack.kubernetes_version = scenario_["kubernetes"].ToString("1.35");
    stack.seed = options_.seed;
    COPPICE_ASSIGN(stack_, Stack::Make(stepper_, std::move(stack)));
    COPPICE_TRY(stack_->Start());
    stepper_.RunUntilIdle();
    return {};
  }

  kube::Client& client() { return stack_->client(); }

  base::Status Step(const Value& step) {
    if (step.Has("apply")) COPPICE_TRY(ApplyAll(step["apply"]));
    if (step.Has("patch")) COPPICE_TRY(Patch(step["patch"]));
    if (step.Has("scale")) COPPICE_TRY(Scale(step["scale"]));
    if (step.Has("delete")) COPPICE_TRY(Delete(step["delete"]));
    if (step.Has("refuse")) COPPICE_TRY(Refuse(step["refuse"]));
    if (step["restart"].AsBool()) COPPICE_TRY(stack_->Start());
    COPPICE_ASSIGN(const base::Duration advance,
                   DurationOf(step["advance"], base::Duration::zero()));
    if (!stepper_.RunFor(advance)) return base::Internal("the components never come to rest");
    if (step.Has("expect")) COPPICE_TRY(Expect(step));
    return CheckInvariants();
  }

  base::Status ApplyAll(const Value& objects) {
    if (objects.IsObject()) return Apply(objects);
    for (const Value& object : objects.Items()) COPPICE_TRY(Apply(object));
    return {};
  }

  base::Status Apply(Value object) {
    COPPICE_ASSIGN(const api::Resource resource, ResourceOf(object));
    if (resource.namespaced) object.Mutable("metadata").SetDefault("namespace", "default");
    const auto created = client().Create(resource, object);
    if (created) return {};
    if (!created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    const auto patched =
        client().Patch(resource, kube::KeyOf(object), kube::PatchType::kMerge, object);
    if (!patched) return patched.error();
    return {};
  }

  static api::ObjectKey KeyIn(const api::Resource& resource, const Value& target) {
    return {resource.namespaced ? target["ns"].ToString("default") : "",
            target["name"].ToString()};
  }

  base::Status Patch(const Value& target) {
    COPPICE_ASSIGN(const api::Resource resource, ResourceOf(target));
    COPPICE_TRY(client().Patch(resource, KeyIn(resource, target),
                               PatchTypeOf(target["type"].AsString()), target["patch"],
                               {.subresource = target["subresource"].ToString()}));
    return {};
  }

  base::Status Scale(const Value& target) {
    COPPICE_ASSIGN(const api::Resource resource, ResourceOf(target));
    const Value patch =
        Value::Object({{"spec", Value::Object({{"replicas", target["replicas"]}})}});
    COPPICE_TRY(client().Patch(resource, KeyIn(resource, target), kube::PatchType::kMerge, patch,
                               {.subresource = "scale"}));
    return {};
  }

  base::Status Delete(const Value& target) {
    COPPICE_ASSIGN(const api::Resource resource, ResourceOf(target));
    kube::DeleteOptions options{.propagation = target["propagation"].ToString("Background")};
    if (target.Has("name")) return client().Delete(resource, KeyIn(resource, target), options);
    return client().DeleteCollection(
        resource,
        {.ns = target["ns"].ToString("default"), .label_selector = target["labels"].ToString()},
        options);
  }

  base::Status Refuse(const Value& refusal) {
    const base::Status applied = refusal.Has("patch") ? Patch(refusal["patch"])
                                                      : ApplyAll(refusal["apply"]);
    if (applied.ok()) return base::Internal("accepted what should be refused");
    const std::string& message = applied.error().message();
    if (message.find(refusal["message"].AsString()) != std::string::npos) return {};
    return base::Internal(fmt::format("refused with \"{}\", wanted \"{}\"", message,
                                      refusal["message"].AsString()));
  }

  // "" when every expectation holds, else the first that does not.
  std::string Unmet(const Value& expectations) {
    for (const Value& expectation : expectations.Items()) {
      const auto problem = CheckExpectation(client(), expectation);
      if (!problem) return problem.error().message();
      if (!problem->empty()) return *problem;
    }
    return "";
  }

  base::Status Expect(const Value& step) {
    COPPICE_ASSIGN(const base::Duration within, DurationOf(step["within"], kDefaultWithin));
    COPPICE_ASSIGN(const base::Duration hold, DurationOf(step["hold"], base::Duration::zero()));
    stepper_.RunUntilIdle();
    std::string unmet = Unmet(step["expect"]);
    for (base::Duration waited{0}; !unmet.empty() && waited < within; waited += kCheckEvery) {
      COPPICE_TRY(Tick());
      unmet = Unmet(step["expect"]);
    }
    for (base::Duration held{0}; unmet.empty() && held < hold; held += kCheckEvery) {
      COPPICE_TRY(Tick());
      unmet = Unmet(step["expect"]);
    }
    if (!unmet.empty()) return base::Internal(unmet);
    return {};
  }

  base::Status Tick() {
    if (!stepper_.RunFor(kCheckEvery)) return base::Internal("the components never come to rest");
    return CheckInvariants();
  }

  base::Status CheckInvariants() {
    COPPICE_ASSIGN(const auto violations, invariants_.Check(client()));
    if (violations.empty()) return {};
    return base::Internal("broken: " + fmt::format("{}", fmt::join(violations, "; ")));
  }

  const Value& scenario_;
  ScenarioOptions options_;
  kube::Stepper stepper_;
  std::unique_ptr<Stack> stack_;
  Invariants invariants_;
};

}  // namespace

base::Status RunScenario(const Value& scenario, const ScenarioOptions& options) {
  return Run(scenario, options).Go();
}

base::Status RunScenarioFile(const std::string& path, const ScenarioOptions& options) {
  std::ifstream file(path);
  if (!file) return base::NotFound("cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  COPPICE_ASSIGN(const Value scenario, json::ParseYaml(text.str()));
  return RunScenario(scenario, options);
}

}  // namespace coppice::sim
