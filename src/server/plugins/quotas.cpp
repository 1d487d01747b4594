#include <fmt/format.h>

#include <algorithm>

#include "kube/object.h"
#include "server/model/errors.h"
#include "server/model/storages.h"
#include "server/plugins/plugins.h"
#include "server/quota/usage.h"

namespace coppice::server {
namespace {

using base::Quantity;

// Where these are limited, every container must say what it needs.
constexpr const char* kMustSpecify[] = {
    "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};

std::string List(const QuotaUsage& usage) {
  std::string text;
  for (const auto& [name, amount] : usage) {
    text += (text.empty() ? "" : ",") + name + "=" + amount.ToString();
  }
  return text;
}

Quantity AmountOf(const json::Value& value) {
  return Quantity::Parse(value.AsString("0")).value_or(Quantity());
}

bool Specifies(const json::Value& container, std::string_view counted) {
  const bool limit = counted.starts_with("limits.");
  const size_t dot = counted.find('.');
  const std::string_view resource =
      dot == std::string_view::npos ? counted : counted.substr(dot + 1);
  return container["resources"][limit ? "limits" : "requests"].Has(resource);
}

std::string Unspecified(const json::Value& quota, const json::Value& pod) {
  std::string text;
  for (const char* counted : kMustSpecify) {
    if (!quota["spec"]["hard"].Has(counted)) continue;
    std::vector<std::string> names;
    for (const char* list : {"containers", "initContainers"}) {
      for (const json::Value& container : pod["spec"][list].Items()) {
        if (!Specifies(container, counted)) names.push_back(container["name"].ToString());
      }
    }
    if (names.empty()) continue;
    text += fmt::format("{}{} for: {}", text.empty() ? "" : "; ", counted, fmt::join(names, ","));
  }
  return text;
}

// What the request adds to what is counted already.
QuotaUsage Delta(const AdmissionRequest& request, std::string_view storage) {
  QuotaUsage delta = UsageOf(storage, request.object);
  if (request.old_object.IsNull()) return delta;
  for (const auto& [name, amount] : UsageOf(storage, request.old_object)) delta[name] -= amount;
  return delta;
}

class QuotaPlugin final : public AdmissionPlugin {
 public:
  explicit QuotaPlugin(Core& core) : core_(core), quotas_(core.store().Counter(kQuotas)) {}

  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override {
    if (!request.resource.namespaced || !request.subresource.empty()) return false;
    const bool resized = request.operation == Operation::kUpdate &&
                         request.resource.group.empty() &&
                         (request.resource.plural == "services" ||
                          request.resource.plural == "persistentvolumeclaims");
    return (request.operation == Operation::kCreate || resized) && quotas_ > 0;
  }

  base::Status Validate(const AdmissionRequest& request) override {
    const std::string storage = request.resource.group + "/" + request.resource.plural;
    const auto quotas = core_.store().List(kQuotas, {request.key.ns + "/"});
    if (!quotas) return {};
    for (const store::VersionPtr& quota : quotas->items) {
      if (!QuotaCovers(quota->value(), storage, request.object)) continue;
      COPPICE_TRY(Charge(request, storage, quota->value()));
    }
    return {};
  }

 private:
  // Adds to the quota's usage before the object exists, so that two at once cannot both fit into
  // the last place. What then fails to come about is corrected when the usage is next counted.
  base::Status Charge(const AdmissionRequest& request, const std::string& storage,
                      const json::Value& quota) {
    const QuotaUsage delta = Delta(request, storage);
    const bool counts = std::any_of(delta.begin(), delta.end(), [&](const auto& each) {
      return quota["spec"]["hard"].Has(each.first) && !each.second.IsZero();
    });
    if (storage == "/pods") {
      const std::string missing = Unspecified(quota, request.object);
      if (!missing.empty()) {
        return Forbidden(
            request.resource, request.key.name,
            fmt::format("failed quota: {}: must specify {}", kube::Name(quota), missing));
      }
    }
    if (!counts) return {};
    const Request update{.served = core_.registry()->Find("", "v1", "resourcequotas"),
                         .ns = request.key.ns,
                         .name = std::string(kube::Name(quota)),
                         .subresource = "status",
                         .user = request.user,
                         .dry_run = request.dry_run};
    const auto charged = core_.ModifyQuietly(
        update, [&](const json::Value& current) { return Add(request, current, delta); });
    if (charged || charged.Is(base::ErrorCode::kNotFound)) return {};
    return charged.error();
  }

  static base::Result<json::Value> Add(const AdmissionRequest& request, const json::Value& quota,
                                       const QuotaUsage& delta) {
    QuotaUsage asked, used, limited;
    json::Value next = quota;
    for (const auto& [name, amount] : delta) {
      const json::Value* hard = quota["spec"]["hard"].Find(name);
      if (!hard) continue;
      const Quantity before = AmountOf(quota["status"]["used"][name]);
      const Quantity after = before + amount;
      if (amount.Sign() > 0 && after > AmountOf(*hard)) {
        asked[name] = amount, used[name] = before, limited[name] = AmountOf(*hard);
      }
      next.Mutable("status").Mutable("used").Set(name, after.ToString());
    }
    if (asked.empty()) return next;
    return Forbidden(request.resource, request.key.name,
                     fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}",
                                 kube::Name(quota), List(asked), List(used), List(limited)));
  }

  const std::string name_ = "ResourceQuota";
  Core& core_;
  const std::atomic<size_t>& quotas_;  // How many there are.
};

}  // namespace

std::shared_ptr<AdmissionPlugin> Quotas(Core& core) { return std::make_shared<QuotaPlugin>(core); }

}  // namespace coppice::server
