#include "cli/text/advice.h"

#include <fmt/format.h>

namespace coppice::cli {
namespace {

constexpr std::string_view kClusterScope = "at the cluster scope";

std::string_view AdviceFor(const base::Error& error) {
  switch (error.code()) {
    case base::ErrorCode::kUnavailable:
    case base::ErrorCode::kTimeout:
      return "Is the API server running? --kubeconfig, --context and KUBECONFIG choose which one "
             "is "
             "asked.";
    case base::ErrorCode::kUnauthorized:
      return "The server does not accept these credentials: log in again, or choose others with "
             "--context.";
    case base::ErrorCode::kForbidden:
      if (error.message().find(kClusterScope) != std::string::npos) {
        return "This is about the whole cluster; an administrator can grant the right that is "
               "missing.";
      }
      return "If you have rights in another namespace, name it with -n. An administrator can grant "
             "the right that is missing.";
    default:
      return "";
  }
}

}  // namespace

std::string WithAdvice(const base::Error& error) {
  const std::string_view advice = AdviceFor(error);
  if (advice.empty()) return error.message();
  return fmt::format("{}\n{}", error.message(), advice);
}

}  // namespace coppice::cli
