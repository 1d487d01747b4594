#include <fmt/format.h>

#include <algorithm>

#include "server/kinds/admission_rules.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/checks/selectors.h"
#include "server/kinds/expression_checks.h"

// Mutating- and ValidatingWebhookConfiguration.
namespace coppice::server {
namespace {

class WebhookKind : public KindRules {
 public:
  explicit WebhookKind(bool mutating) : mutating_(mutating) {}
  bool HasGeneration() const override { return true; }

  void Default(json::Value& object) const override {
    json::Value* webhooks = object.FindMutable("webhooks");
    if (!webhooks || !webhooks->IsArray()) return;
    for (json::Value& webhook : webhooks->MutableItems()) {
      webhook.SetDefault("failurePolicy", "Fail");
      webhook.SetDefault("matchPolicy", "Equivalent");
      webhook.SetDefault("namespaceSelector", json::Value::Object());
      webhook.SetDefault("objectSelector", json::Value::Object());
      webhook.SetDefault("timeoutSeconds", 10);
      if (mutating_) webhook.SetDefault("reinvocationPolicy", "Never");
      if (json::Value* rules = webhook.FindMutable("rules")) {
        for (json::Value& rule : rules->MutableItems()) rule.SetDefault("scope", "*");
      }
      json::Value* config = webhook.FindMutable("clientConfig");
      json::Value* service = config ? config->FindMutable("service") : nullptr;
      if (service) service->SetDefault("port", 443);
    }
  }

  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const json::Value& webhooks = object["webhooks"];
    for (size_t i = 0; i < webhooks.size(); ++i) {
      const json::Value& webhook = webhooks.At(i);
      const std::string path = api::Index("webhooks", i);
      CheckProblems(webhook["name"], api::Dns1123SubdomainProblems(webhook["name"].AsString()),
                    api::Child(path, "name"), causes);
      const std::string_view name = webhook["name"].AsString();
      if (std::count(name.begin(), name.end(), '.') < 2) {
        causes.push_back(
            api::InvalidField(api::Child(path, "name"), name,
                              "should be a domain with at least three segments separated by dots"));
      }
      CheckAdmissionRules(webhook["rules"], api::Child(path, "rules"), causes);
      for (const char* field : {"namespaceSelector", "objectSelector"}) {
        CheckLabelSelector(webhook[field], api::Child(path, field), causes);
      }
      CheckOneOf(webhook["matchPolicy"], {"Equivalent", "Exact"}, api::Child(path, "matchPolicy"),
                 causes);
      if (mutating_) {
        CheckOneOf(webhook["reinvocationPolicy"], {"IfNeeded", "Never"},
                   api::Child(path, "reinvocationPolicy"), causes);
      }
      CheckOneOf(webhook["failurePolicy"], {"Fail", "Ignore"}, api::Child(path, "failurePolicy"),
                 causes);
      CheckOneOf(webhook["sideEffects"], {"None", "NoneOnDryRun"}, api::Child(path, "sideEffects"),
                 causes);
      const int64_t timeout = webhook["timeoutSeconds"].AsInt();
      if (timeout < 1 || timeout > 30) {
        causes.push_back(api::InvalidField(api::Child(path, "timeoutSeconds"), timeout,
                                           "the timeout value must be between 1 and 30 seconds"));
      }
      if (webhook["admissionReviewVersions"].empty()) {
        causes.push_back(api::RequiredField(api::Child(path, "admissionReviewVersions"),
                                            "must specify one of v1, v1beta1"));
      } else if (!KnowsReview(webhook["admissionReviewVersions"])) {
        causes.push_back(api::InvalidField(api::Child(path, "admissionReviewVersions"),
                                           webhook["admissionReviewVersions"],
                                           "must include at least one of v1, v1beta1"));
      }
      CheckConditions(webhook["matchConditions"], api::Child(path, "matchConditions"), causes);
      const json::Value& config = webhook["clientConfig"];
      if (config.Has("url") == config.Has("service")) {
        causes.push_back(api::RequiredField(api::Child(path, "clientConfig"),
                                            "exactly one of url or service is required"));
      } else if (config.Has("url")) {
        CheckUrl(config["url"], api::Child(path, "clientConfig.url"), causes);
      }
    }
  }

 private:
  static void CheckUrl(const json::Value& url, const std::string& path, Causes& causes) {
    const std::string_view scheme = url.AsString().substr(0, url.AsString().find("://"));
    if (scheme == "https") return;
    causes.push_back(api::InvalidField(path, scheme,
                                       "'https' is the only allowed URL scheme; desired format: "
                                       "https://host[/path]"));
  }
  // "*" means all, and nothing more can be said.
  static bool KnowsReview(const json::Value& versions) {
    const auto items = versions.Items();
    return std::any_of(items.begin(), items.end(), [](const json::Value& version) {
      return version.AsString() == "v1" || version.AsString() == "v1beta1";
    });
  }

  const bool mutating_;
};

}  // namespace

std::shared_ptr<const KindRules> MutatingWebhookRules() {
  return std::make_shared<WebhookKind>(true);
}
std::shared_ptr<const KindRules> ValidatingWebhookRules() {
  return std::make_shared<WebhookKind>(false);
}

}  // namespace coppice::server
