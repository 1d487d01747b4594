#include "server/model/pki.h"

#include <filesystem>

#include "base/files.h"

namespace coppice::server {
namespace {

constexpr std::chrono::hours kTenYears(24 * 3650);
constexpr std::chrono::hours kOneYear(24 * 365);
// Certificates are good a little before they were made: clocks differ.
constexpr std::chrono::minutes kSkew(5);

base::Result<http::KeyPair> LoadOrMakeAuthority(const std::string& dir, base::Time now) {
  if (!dir.empty()) {
    base::Result<http::KeyPair> loaded = http::LoadKeyPair(dir, "ca");
    if (loaded || !loaded.Is(base::ErrorCode::kNotFound)) return loaded;
  }
  COPPICE_ASSIGN(http::KeyPair made,
                 http::MakeCertificateAuthority("kubernetes", now - kSkew, kTenYears));
  if (!dir.empty()) COPPICE_TRY(http::SaveKeyPair(made, dir, "ca"));
  return made;
}

base::Result<http::JwtKey> LoadOrMakeTokenKey(const std::string& dir) {
  const std::filesystem::path path = std::filesystem::path(dir) / "sa.key";
  if (!dir.empty() && std::filesystem::exists(path)) {
    COPPICE_ASSIGN(const std::string pem, base::ReadFile(path.string()));
    return http::JwtKey::FromPem(pem);
  }
  COPPICE_ASSIGN(http::JwtKey made, http::JwtKey::Generate());
  if (!dir.empty()) {
    COPPICE_ASSIGN(const std::string pem, made.PrivatePem());
    COPPICE_TRY(base::WriteSecretFile(path.string(), pem));
  }
  return made;
}

}  // namespace

base::Result<std::shared_ptr<const Pki>> Pki::Open(const std::string& dir, base::Time now) {
  if (!dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(dir, error);
    if (error) return base::Internal("cannot create " + dir + ": " + error.message());
  }
  base::Result<http::KeyPair> ca = LoadOrMakeAuthority(dir, now);
  if (!ca) return ca.error().During(dir + "/ca");
  base::Result<http::JwtKey> key = LoadOrMakeTokenKey(dir);
  if (!key) return key.error().During(dir + "/sa.key");
  return std::shared_ptr<const Pki>(new Pki(std::move(*ca), std::move(*key)));
}

base::Result<http::KeyPair> Pki::IssueServer(const std::vector<std::string>& hosts,
                                             base::Time now) const {
  return http::IssueCertificate(ca_, {.common_name = "kube-apiserver",
                                      .hosts = hosts,
                                      .server = true,
                                      .not_before = now - kSkew,
                                      .validity = kOneYear});
}

base::Result<http::KeyPair> Pki::IssueClient(const std::string& user,
                                             const std::vector<std::string>& groups,
                                             base::Time now) const {
  return http::IssueCertificate(ca_, {.common_name = user,
                                      .organizations = groups,
                                      .client = true,
                                      .not_before = now - kSkew,
                                      .validity = kOneYear});
}

}  // namespace coppice::server
