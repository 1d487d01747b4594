#include <fmt/format.h>
#include <strings.h>

#include "api/cron_schedule.h"
#include "api/selectors/label_selector.h"
#include "api/time_zone.h"
#include "kube/object.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/pod/pod_spec.h"

namespace coppice::server {
namespace {

void DefaultJobSpec(json::Value& spec) {
  const bool neither = !spec.Has("completions") && !spec.Has("parallelism");
  if (neither) spec.Set("completions", 1);
  spec.SetDefault("parallelism", 1);
  spec.SetDefault("backoffLimit", spec.Has("backoffLimitPerIndex") ? 2147483647 : 6);
  spec.SetDefault("completionMode", "NonIndexed");
  spec.SetDefault("suspend", false);
  spec.SetDefault("manualSelector", false);
  spec.SetDefault("podReplacementPolicy",
                  spec["podFailurePolicy"].IsObject() ? "Failed" : "TerminatingOrFailed");
  if (json::Value* pod_template = spec.FindMutable("template")) DefaultPodTemplate(*pod_template);
}

constexpr int64_t kMostIndexedPods = 100000;

void CheckFailureRule(const json::Value& rule, const std::string& path, Causes& causes) {
  CheckOneOf(rule["action"], {"Count", "FailIndex", "FailJob", "Ignore"},
             api::Child(path, "action"), causes);
  // Kubernetes shows no value here.
  const auto complain = [&](const char* what) {
    base::FieldCause cause = api::InvalidField(path, "", what);
    cause.message = fmt::format("Invalid value: {}", what);
    causes.push_back(std::move(cause));
  };
  const bool codes = rule["onExitCodes"].IsObject(), states = !rule["onPodConditions"].empty();
  if (codes && states) {
    complain("specifying both OnExitCodes and OnPodConditions is not supported");
  } else if (!codes && !states) {
    complain("specifying one of OnExitCodes and OnPodConditions is required");
  }
}

// What becomes of the job when pods fail, and when enough have not.
void CheckRetries(const json::Value& spec, const std::string& path, Causes& causes) {
  const bool indexed = spec["completionMode"].AsString() == "Indexed";
  for (const char* field : {"backoffLimitPerIndex", "successPolicy"}) {
    if (indexed || !spec.Has(field)) continue;
    causes.push_back(api::InvalidField(api::Child(path, field), spec[field],
                                       "requires indexed completion mode"));
  }
  if (indexed && spec["parallelism"].AsInt() > kMostIndexedPods) {
    causes.push_back(api::InvalidField(
        api::Child(path, "parallelism"), spec["parallelism"],
        fmt::format("must be less than or equal to {} when completion mode is Indexed",
                    kMostIndexedPods)));
  }
  if (spec.Has("podReplacementPolicy")) {
    CheckOneOf(spec["podReplacementPolicy"], {"Failed", "TerminatingOrFailed"},
               api::Child(path, "podReplacementPolicy"), causes);
  }
  const std::string_view manager = spec["managedBy"].AsString();
  if (spec.Has("managedBy") && manager.find('/') == manager.npos) {
    causes.push_back(api::InvalidField(api::Child(path, "managedBy"), spec["managedBy"],
                                       "must be a domain-prefixed path (such as \"acme.io/foo\")"));
  }
  const json::Value& rules = spec["podFailurePolicy"]["rules"];
  for (size_t i = 0; i < rules.size(); ++i) {
    CheckFailureRule(rules.At(i), api::Index(api::Child(path, "podFailurePolicy.rules"), i),
                     causes);
  }
}

void ValidateJobSpec(const json::Value& spec, const std::string& path, Causes& causes) {
  for (const char* field : {"parallelism", "completions", "backoffLimit", "activeDeadlineSeconds",
                            "ttlSecondsAfterFinished"}) {
    CheckNotNegative(spec[field], api::Child(path, field), causes);
  }
  CheckOneOf(spec["completionMode"], {"NonIndexed", "Indexed"}, api::Child(path, "completionMode"),
             causes);
  if (spec["completionMode"].AsString() == "Indexed" && !spec.Has("completions")) {
    causes.push_back(
        api::RequiredField(api::Child(path, "completions"), "when completion mode is Indexed"));
  }
  CheckRetries(spec, path, causes);
  if (!spec["template"].IsObject()) {
    causes.push_back(api::RequiredField(api::Child(path, "template")));
    return;
  }
  ValidatePodTemplate(spec["template"], api::Child(path, "template"), causes);
  const json::Value& restart = spec["template"]["spec"]["restartPolicy"];
  if (restart.AsString() == "Always") {
    causes.push_back(api::RequiredField(api::Child(path, "template.spec.restartPolicy"),
                                        "valid values: \"OnFailure\", \"Never\""));
  }
}

// What Prepare has made of it, and no more.
void CheckSelector(const json::Value& job, Causes& causes) {
  const json::Value& selector = job["spec"]["selector"];
  const json::Value& labels = job["spec"]["template"]["metadata"]["labels"];
  const json::Value generated = json::Value::Object(
      {{"matchLabels",
        json::Value::Object({{"batch.kubernetes.io/controller-uid", kube::Uid(job)}})}});
  if (selector != generated) {
    causes.push_back(api::InvalidField("spec.selector", selector, "`selector` not auto-generated"));
  }
  const auto parsed = api::LabelSelector::FromObject(selector);
  if (parsed && parsed->Matches(labels)) return;
  causes.push_back(api::InvalidField("spec.template.metadata.labels", labels,
                                     "`selector` does not match template `labels`"));
}

class JobKind : public KindRules {
 public:
  bool HasGeneration() const override { return true; }
  std::vector<api::SelectableField> SelectableFields() const override {
    return {{"status.successful", "0", "status.succeeded"}};
  }

  void Default(json::Value& job) const override { DefaultJobSpec(job.Mutable("spec")); }

  // The job's uid distinguishes its pods from those of another job of the same name.
  base::Status PrepareForCreate(const RuleContext&, json::Value& job) const override {
    if (job["spec"]["manualSelector"].AsBool()) return {};
    const std::string uid(kube::Uid(job));
    const std::string name(kube::Name(job));
    json::Value& labels =
        job.Mutable("spec").Mutable("template").Mutable("metadata").Mutable("labels");
    labels.Set("controller-uid", uid);
    labels.Set("batch.kubernetes.io/controller-uid", uid);
    labels.Set("job-name", name);
    labels.Set("batch.kubernetes.io/job-name", name);
    job.Mutable("spec")
        .Mutable("selector")
        .Mutable("matchLabels")
        .Set("batch.kubernetes.io/controller-uid", uid);
    // A job without labels takes those of its pods.
    if (job["metadata"]["labels"].empty()) {
      job.Mutable("metadata").Set("labels", job["spec"]["template"]["metadata"]["labels"]);
    }
    return {};
  }

  void Validate(const RuleContext&, const json::Value& job, Causes& causes) const override {
    ValidateJobSpec(job["spec"], "spec", causes);
    if (!job["spec"]["manualSelector"].AsBool()) CheckSelector(job, causes);
  }

  void ValidateStatusUpdate(const RuleContext&, const json::Value& job, const json::Value&,
                            Causes& causes) const override {
    for (const char* field : {"active", "ready", "succeeded", "failed", "terminating"}) {
      CheckNotNegative(job["status"][field], api::Child("status", field), causes);
    }
  }

  void ValidateUpdate(const RuleContext& context, const json::Value& job, const json::Value& old,
                      Causes& causes) const override {
    for (const char* field : {"completionMode", "selector", "podFailurePolicy",
                              "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
      CheckImmutable(job["spec"][field], old["spec"][field], api::Child("spec", field), causes);
    }
    json::Value now = job["spec"]["template"], before = old["spec"]["template"];
    // What a queue may set on a job that has not started.
    const bool waits = old["spec"]["suspend"].AsBool() && !old["status"].Has("startTime");
    if (waits) {
      for (json::Value* each : {&now, &before}) {
        for (const char* field : {"affinity", "nodeSelector", "tolerations", "schedulingGates"}) {
          each->Mutable("spec").Erase(field);
        }
        each->Erase("metadata");
      }
    }
    if (context.kubernetes_version == "1.35" || !waits) {
      CheckImmutable(now, before, "spec.template", causes);
    } else {
      CheckImmutable(now["metadata"], before["metadata"], "spec.template.metadata", causes);
      CheckImmutable(now["spec"], before["spec"], "spec.template.spec", causes);
    }
    if (old["spec"]["completionMode"].AsString() != "Indexed") {
      CheckImmutable(job["spec"]["completions"], old["spec"]["completions"], "spec.completions",
                     causes);
    }
  }
};

void CheckSchedule(const json::Value& schedule, Causes& causes) {
  const std::string_view text = schedule.AsString();
  if (text.empty()) {
    causes.push_back(api::RequiredField("spec.schedule"));
    return;
  }
  const auto invalid = [&](std::string_view why) {
    causes.push_back(api::InvalidField("spec.schedule", schedule, why));
  };
  const auto parsed = api::CronSchedule::Parse(text);
  if (!parsed) invalid(parsed.error().message());
  if (text.find("TZ") != text.npos) {
    invalid("cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
}

void CheckTimeZone(const json::Value& zone, Causes& causes) {
  if (zone.IsNull()) return;
  const auto invalid = [&](std::string_view why) {
    causes.push_back(api::InvalidField("spec.timeZone", zone, why));
  };
  if (zone.AsString().empty()) return invalid("timeZone must be nil or non-empty string");
  const std::string name = zone.ToString();
  if (name.front() == '/' || name.find('.') != name.npos) {
    return invalid("unknown time zone " + name);
  }
  if (strcasecmp(name.c_str(), "Local") == 0) {
    invalid("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  }
  const base::Status known = api::CheckTimeZoneName(name);
  if (!known) invalid(known.error().message());
}

class CronJobKind : public KindRules {
 public:
  bool HasGeneration() const override { return true; }

  void Default(json::Value& cron) const override {
    json::Value& spec = cron.Mutable("spec");
    spec.SetDefault("concurrencyPolicy", "Allow");
    spec.SetDefault("suspend", false);
    spec.SetDefault("successfulJobsHistoryLimit", 3);
    spec.SetDefault("failedJobsHistoryLimit", 1);
    if (json::Value* job = spec.FindMutable("jobTemplate")) {
      job->SetDefault("metadata", json::Value::Object());
      if (json::Value* pod_template = job->Mutable("spec").FindMutable("template")) {
        DefaultPodTemplate(*pod_template);
      }
    }
  }

  void Validate(const RuleContext&, const json::Value& cron, Causes& causes) const override {
    constexpr size_t kLongestName = 52;  // Its jobs' names are longer by the minute they start.
    if (kube::Name(cron).size() > kLongestName) {
      causes.push_back(api::InvalidField("metadata.name", kube::Name(cron),
                                         "must be no more than 52 characters"));
    }
    const json::Value& spec = cron["spec"];
    CheckSchedule(spec["schedule"], causes);
    CheckTimeZone(spec["timeZone"], causes);
    for (const char* field :
         {"startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"}) {
      CheckNotNegative(spec[field], api::Child("spec", field), causes);
    }
    CheckOneOf(spec["concurrencyPolicy"], {"Allow", "Forbid", "Replace"}, "spec.concurrencyPolicy",
               causes);
    const json::Value& pod_template = spec["jobTemplate"]["spec"]["template"];
    ValidatePodTemplate(pod_template, "spec.jobTemplate.spec.template", causes);
    if (pod_template["spec"]["restartPolicy"].AsString() == "Always") {
      causes.push_back(api::RequiredField("spec.jobTemplate.spec.template.spec.restartPolicy",
                                          "valid values: \"OnFailure\", \"Never\""));
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> JobRules() { return std::make_shared<JobKind>(); }
std::shared_ptr<const KindRules> CronJobRules() { return std::make_shared<CronJobKind>(); }

}  // namespace coppice::server
