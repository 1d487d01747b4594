#pragma once

#include <memory>
#include <string_view>

#include "api/view/admission.h"
#include "base/result.h"
#include "json/value.h"
#include "operator/webhooks/admission.h"
#include "operator/webhooks/authorizer.h"

namespace coppice::operators::webhooks {

inline constexpr std::string_view kDefaultingPath = "/webhooks/default-podcliqueset";
inline constexpr std::string_view kValidatingPath = "/webhooks/validate-podcliqueset";
inline constexpr std::string_view kBindingPath = "/webhooks/validate-clustertopology";
inline constexpr std::string_view kAuthorizerPath = "/webhooks/authorizer-webhook";

// Answers AdmissionReviews (v1) with the decisions of Admission and the authorizer. Thread-safe.
class Reviewer {
 public:
  Reviewer(const Config& config, std::shared_ptr<const Admission> admission, FindSet find_set)
      : config_(config), admission_(std::move(admission)), find_set_(std::move(find_set)) {}

  // The response to the review posted to `path`. Unknown paths and bodies that are not reviews are
  // errors; a denial is a normal response.
  base::Result<json::Value> Answer(std::string_view path, const json::Value& review) const;

 private:
  base::Result<json::Value> Respond(std::string_view path,
                                    view::admission::AdmissionRequest request) const;
  json::Value AuthorizerResponse(view::admission::AdmissionRequest request) const;

  const Config config_;
  const std::shared_ptr<const Admission> admission_;
  const FindSet find_set_;
};

}  // namespace coppice::operators::webhooks
