#include "server/auth/reviews.h"

#include "api/schema/errors/field_error.h"
#include "api/selectors/field_selector.h"
#include "base/log.h"
#include "json/strings.h"
#include "server/auth/tokens.h"
#include "server/authorization/node_identity.h"
#include "server/model/errors.h"
#include "server/rbac/attributes.h"

namespace coppice::server {
namespace {

// A selector that cannot be read restricts nothing.
std::string SelectorOf(const json::Value& given) {
  if (!given["rawSelector"].AsString().empty()) return given["rawSelector"].ToString();
  std::string selector;
  for (const json::Value& each : given["requirements"].Items()) {
    if (each["operator"].AsString() != "In" || each["values"].size() != 1) continue;
    const auto requirement =
        api::FieldSelector::Equal(each["key"].AsString(), each["values"].At(0).AsString());
    selector += (selector.empty() ? "" : ",") + requirement.ToString();
  }
  return selector;
}

Attributes AttributesOf(const json::Value& spec) {
  Attributes attributes;
  if (const json::Value& path = spec["nonResourceAttributes"]; path.IsObject()) {
    attributes.is_resource = false;
    attributes.verb = path["verb"].ToString();
    attributes.path = path["path"].ToString();
    return attributes;
  }
  const json::Value& given = spec["resourceAttributes"];
  attributes.verb = given["verb"].ToString();
  attributes.group = given["group"].ToString();
  attributes.resource = given["resource"].ToString();
  attributes.subresource = given["subresource"].ToString();
  attributes.name = given["name"].ToString();
  attributes.ns = given["namespace"].ToString();
  attributes.field_selector = SelectorOf(given["fieldSelector"]);
  return attributes;
}

User UserOf(const json::Value& spec) {
  User user{spec["user"].ToString(), json::ReadStrings(spec["groups"]), spec["uid"].ToString(), {}};
  for (const json::Member& extra : spec["extra"].Members()) {
    user.extra[std::string(extra.name())] = json::ReadStrings(extra.value);
  }
  return user;
}

json::Value AccessStatus(Core& core, const User& user, const json::Value& spec) {
  const Decision decision = core.authorizer().Allow(user, AttributesOf(spec));
  json::Value status = json::Value::Object({{"allowed", decision.allowed}});
  if (!decision.reason.empty()) status.Set("reason", decision.reason);
  return status;
}

json::Value RulesStatus(Core& core, const User& user, const std::string& ns) {
  json::Value resources = json::Value::Array(), paths = json::Value::Array();
  for (const PolicyRule& rule : core.authorizer().RulesFor(user, ns)) {
    (rule.paths.empty() ? resources : paths).Append(rule.ToJson());
  }
  const bool is_node = NodeOf(user).has_value();
  json::Value status = json::Value::Object(
      {{"resourceRules", resources}, {"nonResourceRules", paths}, {"incomplete", is_node}});
  if (is_node) {
    status.Set("evaluationError", "node authorizer does not support user rule resolution");
  }
  return status;
}

json::Value TokenStatus(Core& core, const json::Value& spec) {
  const auto verified =
      VerifyToken(core, spec["token"].ToString(), json::ReadStrings(spec["audiences"]));
  if (!verified) {
    // The reason is only logged, not returned.
    base::LogDebug("token refused", {{"error", verified.error().message()}});
    return json::Value::Object(
        {{"user", json::Value::Object()}, {"error", "invalid bearer token"}});
  }
  return json::Value::Object({{"authenticated", true},
                              {"user", UserInfo(verified->user)},
                              {"audiences", json::StringList(verified->audiences)}});
}

// What makes an access review answerable.
base::Status CheckAccessReview(const Request& request, const json::Value& spec) {
  const std::string& kind = request.resource().kind;
  Causes causes;
  if (spec["resourceAttributes"].IsObject() == spec["nonResourceAttributes"].IsObject()) {
    causes.push_back(api::InvalidField(
        "spec.resourceAttributes", spec["nonResourceAttributes"],
        "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
  }
  const bool self = kind == "SelfSubjectAccessReview";
  if (!self && spec["user"].AsString().empty() && spec["groups"].empty()) {
    causes.push_back(
        api::InvalidField("spec.user", "", "at least one of user or group must be specified"));
  }
  if (causes.empty()) return {};
  return api::InvalidObject(request.resource(), "", std::move(causes));
}

}  // namespace

bool IsReview(const ServedResource& served) {
  return served.resource.group == "authorization.k8s.io" ||
         served.resource.group == "authentication.k8s.io";
}

base::Result<Outcome> AnswerReview(Core& core, const Request& request, json::Value body) {
  const std::string& plural = request.resource().plural;
  const json::Value spec = body["spec"];
  body.Set("apiVersion", request.resource().ApiVersion()).Set("kind", request.resource().kind);
  body.SetDefault("metadata", json::Value::Object());
  body.Mutable("metadata").Erase("creationTimestamp");
  if (plural == "tokenreviews") {
    if (spec["token"].AsString().empty()) {
      return BadRequest("token is required for TokenReview in authentication");
    }
    body.Set("status", TokenStatus(core, spec));
  } else if (plural == "selfsubjectreviews") {
    body.Mutable("metadata").Set("creationTimestamp", base::FormatRfc3339(core.clock().Now()));
    body.Set("status", json::Value::Object({{"userInfo", UserInfo(request.user)}}));
  } else if (plural == "selfsubjectaccessreviews") {
    COPPICE_TRY(CheckAccessReview(request, spec));
    body.Set("status", AccessStatus(core, request.user, spec));
  } else if (plural == "selfsubjectrulesreviews") {
    body.Set("status", RulesStatus(core, request.user, spec["namespace"].ToString()));
  } else {
    if (plural == "localsubjectaccessreviews" &&
        spec["resourceAttributes"]["namespace"].AsString() != request.ns) {
      Causes causes{api::InvalidField("spec.resourceAttributes.namespace",
                                      spec["resourceAttributes"]["namespace"],
                                      "must match metadata.namespace")};
      return api::InvalidObject(request.resource(), "", std::move(causes));
    }
    COPPICE_TRY(CheckAccessReview(request, spec));
    body.Set("status", AccessStatus(core, UserOf(spec), spec));
  }
  return Outcome{std::move(body), nullptr, true};
}

}  // namespace coppice::server
