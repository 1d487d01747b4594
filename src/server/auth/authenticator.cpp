#include "server/auth/authenticator.h"

#include "server/auth/tokens.h"

namespace coppice::server {
namespace {

constexpr std::string_view kBearer = "Bearer ";
constexpr std::string_view kExtra = "impersonate-extra-";
const std::string kAuthentication = "authentication.k8s.io";

base::Status MayImpersonate(Core& core, const User& user, const std::string& group,
                            const std::string& resource, const std::string& name,
                            const std::string& ns = "") {
  return core.Authorize(
      user, {.verb = "impersonate", .group = group, .resource = resource, .name = name, .ns = ns});
}

// Whether the request has any Impersonate-* header.
bool AsksForMore(const http::Request& request) {
  for (const auto& [header, value] : request.headers.items()) {
    if (header.rfind("impersonate-", 0) == 0) return true;
  }
  return false;
}

}  // namespace

base::Result<User> Authenticate(Core& core, const http::Request& request) {
  const std::string_view authorization = request.headers.Get("authorization");
  if (authorization.substr(0, kBearer.size()) == kBearer) {
    base::Result<VerifiedToken> token =
        VerifyToken(core, std::string(authorization.substr(kBearer.size())));
    if (!token) return base::Error(base::ErrorCode::kUnauthorized, "Unauthorized");
    return std::move(token->user);
  }
  if (request.peer.certificate_verified) {
    User user{request.peer.common_name, request.peer.organizations, "", {}};
    user.groups.push_back("system:authenticated");
    return user;
  }
  if (request.peer.has_certificate || !authorization.empty()) {
    return base::Error(base::ErrorCode::kUnauthorized, "Unauthorized");
  }
  return User::Anonymous();
}

base::Result<User> Impersonate(Core& core, const http::Request& request, User user) {
  const std::string name(request.headers.Get("impersonate-user"));
  if (name.empty()) {
    if (!AsksForMore(request)) return user;
    return base::InvalidArgument("requested to impersonate without impersonating a user");
  }
  constexpr std::string_view kAccount = "system:serviceaccount:";
  User other{name, {}, std::string(request.headers.Get("impersonate-uid")), {}};
  if (name.rfind(kAccount, 0) == 0 && name.find(':', kAccount.size()) != std::string::npos) {
    const size_t colon = name.find(':', kAccount.size());
    const std::string ns = name.substr(kAccount.size(), colon - kAccount.size());
    COPPICE_TRY(MayImpersonate(core, user, "", "serviceaccounts", name.substr(colon + 1), ns));
    if (!request.headers.Has("impersonate-group")) {
      other.groups = {"system:serviceaccounts", "system:serviceaccounts:" + ns};
    }
  } else {
    COPPICE_TRY(MayImpersonate(core, user, "", "users", name));
  }
  if (!other.uid.empty()) {
    COPPICE_TRY(MayImpersonate(core, user, kAuthentication, "uids", other.uid));
  }
  for (const auto& [header, value] : request.headers.items()) {
    if (header == "impersonate-group") {
      COPPICE_TRY(MayImpersonate(core, user, "", "groups", value));
      other.groups.push_back(value);
    } else if (header.rfind(kExtra, 0) == 0) {
      COPPICE_ASSIGN(const std::string key, http::DecodeUrl(header.substr(kExtra.size())));
      COPPICE_TRY(MayImpersonate(core, user, kAuthentication, "userextras/" + key, value));
      other.extra[key].push_back(value);
    }
  }
  other.groups.push_back(name == "system:anonymous" ? "system:unauthenticated"
                                                    : "system:authenticated");
  return other;
}

}  // namespace coppice::server
