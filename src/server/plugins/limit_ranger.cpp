#include <fmt/format.h>

#include <vector>

#include "api/well_known.h"
#include "base/quantity.h"
#include "kube/object.h"
#include "server/kinds/pod/pod_spec.h"
#include "server/model/errors.h"
#include "server/plugins/plugins.h"

namespace coppice::server {
namespace {

using base::Quantity;

Quantity QuantityOf(const json::Value& value) {
  return Quantity::Parse(value.AsString()).value_or(Quantity());
}

// Fills what a container leaves open, and says what that was.
std::vector<std::string> FillFrom(const json::Value& defaults, std::string_view field,
                                  json::Value& container) {
  std::vector<std::string> filled;
  for (const json::Member& each : defaults.Members()) {
    if (container["resources"][field].Has(each.name())) continue;
    container.Mutable("resources").Mutable(field).Set(each.name(), each.value);
    filled.emplace_back(each.name());
  }
  return filled;
}

void Note(const std::vector<std::string>& names, std::string_view what,
          const json::Value& container, std::string_view role, std::vector<std::string>& notes) {
  if (names.empty()) return;
  notes.push_back(fmt::format("{} {} for {} {}", fmt::join(names, ", "), what, role,
                              container["name"].AsString()));
}

void FillContainers(const json::Value& item, const char* list, std::string_view role,
                    json::Value& spec, std::vector<std::string>& notes) {
  for (size_t i = 0; i < spec[list].size(); ++i) {
    json::Value container = spec[list].At(i);
    Note(FillFrom(item["defaultRequest"], "requests", container), "request", container, role,
         notes);
    Note(FillFrom(item["default"], "limits", container), "limit", container, role, notes);
    if (!container.SameAs(spec[list].At(i))) spec.Mutable(list).MutableAt(i) = container;
  }
}

struct Usage {
  const json::Value& requests;
  const json::Value& limits;
};

// One item of a LimitRange against what one container, pod or claim uses.
void CheckItem(const json::Value& item, const Usage& usage, std::vector<std::string>& problems) {
  const std::string type = item["type"].ToString();
  for (const json::Member& bound : item["min"].Members()) {
    const json::Value* request = usage.requests.Find(bound.name());
    if (!request) {
      problems.push_back(fmt::format("minimum {} usage per {} is {}.  No request is specified",
                                     bound.name(), type, bound.value.AsString()));
    } else if (QuantityOf(*request) < QuantityOf(bound.value)) {
      problems.push_back(fmt::format("minimum {} usage per {} is {}, but request is {}",
                                     bound.name(), type, bound.value.AsString(),
                                     request->AsString()));
    }
  }
  const bool claim = type == "PersistentVolumeClaim";
  for (const json::Member& bound : item["max"].Members()) {
    const json::Value* limit = (claim ? usage.requests : usage.limits).Find(bound.name());
    if (!limit) {
      problems.push_back(fmt::format("maximum {} usage per {} is {}.  No limit is specified",
                                     bound.name(), type, bound.value.AsString()));
    } else if (QuantityOf(*limit) > QuantityOf(bound.value)) {
      problems.push_back(fmt::format("maximum {} usage per {} is {}, but {} is {}", bound.name(),
                                     type, bound.value.AsString(), claim ? "request" : "limit",
                                     limit->AsString()));
    }
  }
  for (const json::Member& bound : item["maxLimitRequestRatio"].Members()) {
    const json::Value* request = usage.requests.Find(bound.name());
    const json::Value* limit = usage.limits.Find(bound.name());
    const double asked = request ? QuantityOf(*request).ToDouble() : 0;
    if (!limit || asked == 0) {
      problems.push_back(
          fmt::format("{} max limit to request ratio per {} is {}, but no request is specified or "
                      "request is 0",
                      bound.name(), type, bound.value.AsString()));
      continue;
    }
    const double ratio = QuantityOf(*limit).ToDouble() / asked;
    if (ratio <= QuantityOf(bound.value).ToDouble()) continue;
    problems.push_back(
        fmt::format("{} max limit to request ratio per {} is {}, but provided ratio "
                    "is {:.6f}",
                    bound.name(), type, bound.value.AsString(), ratio));
  }
}

void CheckPod(const json::Value& item, const json::Value& pod, std::vector<std::string>& problems) {
  const std::string_view type = item["type"].AsString();
  if (type == "Container") {
    for (const char* list : {"containers", "initContainers"}) {
      for (const json::Value& container : pod["spec"][list].Items()) {
        CheckItem(item, {container["resources"]["requests"], container["resources"]["limits"]},
                  problems);
      }
    }
  } else if (type == "Pod") {
    const json::Value requests = PodTotals(pod["spec"], "requests");
    const json::Value limits = PodTotals(pod["spec"], "limits");
    CheckItem(item, {requests, limits}, problems);
  }
}

class LimitRangePlugin final : public AdmissionPlugin {
 public:
  explicit LimitRangePlugin(Core& core) : store_(core.store()) {}

  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override {
    const bool claim = request.resource == api::kPersistentVolumeClaims;
    if (!claim && !(request.resource == api::kPods)) return false;
    if (!request.subresource.empty() || request.operation == Operation::kDelete) return false;
    // A pod's resources do not change in an ordinary update.
    return (claim || request.operation == Operation::kCreate) && store_.Count(kRanges) > 0;
  }

  base::Status Mutate(const AdmissionRequest& request, json::Value& object) override {
    if (!(request.resource == api::kPods)) return {};
    std::vector<std::string> notes;
    json::Value& spec = object.Mutable("spec");
    ForEachItem(request.key.ns, [&](const json::Value& item) {
      if (item["type"].AsString() != "Container") return;
      FillContainers(item, "containers", "container", spec, notes);
      FillContainers(item, "initContainers", "init container", spec, notes);
    });
    if (notes.empty()) return {};
    object.Mutable("metadata")
        .Mutable("annotations")
        .Set("kubernetes.io/limit-ranger",
             fmt::format("LimitRanger plugin set: {}", fmt::join(notes, "; ")));
    return {};
  }

  base::Status Validate(const AdmissionRequest& request) override {
    std::vector<std::string> problems;
    const json::Value none;
    ForEachItem(request.key.ns, [&](const json::Value& item) {
      if (request.resource == api::kPods) return CheckPod(item, request.object, problems);
      if (item["type"].AsString() != "PersistentVolumeClaim") return;
      CheckItem(item, {request.object["spec"]["resources"]["requests"], none}, problems);
    });
    if (problems.empty()) return {};
    const std::string why =
        problems.size() == 1 ? problems[0] : fmt::format("[{}]", fmt::join(problems, ", "));
    return Forbidden(request.resource, request.key.name, why);
  }

 private:
  static constexpr std::string_view kRanges = "/limitranges";

  template <typename Visit>
  void ForEachItem(const std::string& ns, Visit visit) const {
    const auto ranges = store_.List(kRanges, {ns + "/"});
    if (!ranges) return;
    for (const store::VersionPtr& range : ranges->items) {
      for (const json::Value& item : range->value()["spec"]["limits"].Items()) visit(item);
    }
  }

  const std::string name_ = "LimitRanger";
  const store::Store& store_;
};

}  // namespace

std::shared_ptr<AdmissionPlugin> LimitRanger(Core& core) {
  return std::make_shared<LimitRangePlugin>(core);
}

}  // namespace coppice::server
