#include "kube/config/token_source.h"

#include <mutex>

#include "base/base64.h"
#include "base/files.h"
#include "kube/config/files.h"

namespace coppice::kube {
namespace {

constexpr std::chrono::minutes kReread{1};

class FixedCredential final : public CredentialSource {
 public:
  explicit FixedCredential(std::string authorization) : credential_{std::move(authorization)} {}
  base::Result<Credential> Get() override { return credential_; }

 private:
  const Credential credential_;
};

class TokenFileSource final : public CredentialSource {
 public:
  TokenFileSource(std::string path, const base::Clock& clock)
      : path_(std::move(path)), clock_(clock) {}

  base::Result<Credential> Get() override {
    std::lock_guard lock(mutex_);
    const base::Instant now = clock_.Elapsed();
    if (token_.empty() || now >= read_at_ + kReread) COPPICE_TRY(Read(now));
    return Credential{"Bearer " + token_};
  }

  void Invalidate() override {
    std::lock_guard lock(mutex_);
    token_.clear();
  }

 private:
  base::Status Read(base::Instant now) {
    auto contents = base::ReadFile(path_);
    if (!contents) {
      // Half-way through its renewal, perhaps: the old one may still be good.
      if (!token_.empty()) return {};
      return contents.error().During("reading the token");
    }
    const std::string token = TrimSpace(*contents);
    if (token.empty()) return base::Unavailable("the token file " + path_ + " is empty");
    token_ = token;
    read_at_ = now;
    return {};
  }

  const std::string path_;
  const base::Clock& clock_;
  std::mutex mutex_;  // Guards what follows.
  std::string token_;
  base::Instant read_at_{};
};

}  // namespace

std::shared_ptr<CredentialSource> FixedToken(std::string token) {
  return std::make_shared<FixedCredential>("Bearer " + token);
}

std::shared_ptr<CredentialSource> BasicAuth(const std::string& user, const std::string& password) {
  return std::make_shared<FixedCredential>("Basic " + base::Base64Encode(user + ":" + password));
}

std::shared_ptr<CredentialSource> TokenFile(std::string path, const base::Clock& clock) {
  return std::make_shared<TokenFileSource>(std::move(path), clock);
}

}  // namespace coppice::kube
