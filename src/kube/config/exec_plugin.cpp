#include "kube/config/exec_plugin.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>

#include "api/edit/kubeconfig.h"
#include "api/view/kubeconfig.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/config/files.h"
#include "kube/config/run_program.h"

namespace coppice::kube {
namespace {

// Plugins may talk to a cloud's login service.
constexpr std::chrono::seconds kPluginTimeout{60};
// A credential this close to its end is not used any more.
constexpr std::chrono::seconds kExpiryMargin{10};

bool IsSupported(std::string_view version) {
  return version == "client.authentication.k8s.io/v1" ||
         version == "client.authentication.k8s.io/v1beta1";
}

class ExecSource final : public CredentialSource {
 public:
  ExecSource(ExecPlugin plugin, const base::Clock& clock)
      : plugin_(std::move(plugin)), clock_(clock) {}

  base::Result<Credential> Get() override {
    std::lock_guard lock(mutex_);
    if (cached_ && (!expires_ || clock_.Now() + kExpiryMargin < *expires_)) return *cached_;
    COPPICE_TRY(Refresh());
    return *cached_;
  }

  void Invalidate() override {
    std::lock_guard lock(mutex_);
    cached_.reset();
  }

 private:
  base::Status Refresh() {
    std::map<std::string, std::string> env = plugin_.env;
    env["KUBERNETES_EXEC_INFO"] = json::Write(Info());
    const auto output = RunProgram(plugin_.command, plugin_.args, env, kPluginTimeout);
    if (!output) {
      const std::string hint = plugin_.install_hint.empty() ? "" : "\n" + plugin_.install_hint;
      return base::Error(output.error().code(), output.error().message() + hint)
          .During("getting credentials");
    }
    const auto answer = json::Parse(*output);
    if (!answer) return base::InvalidArgument(plugin_.command + " did not answer with JSON");
    return Accept(view::kubeconfig::ExecCredential(*answer));
  }

  json::Value Info() const {
    json::Value info;
    const edit::kubeconfig::ExecCredential edit(info);
    edit.set_apiVersion(plugin_.api_version).set_kind("ExecCredential");
    edit.spec().set_interactive(false);
    if (!plugin_.cluster.IsNull()) edit.spec().set_cluster(plugin_.cluster);
    return info;
  }

  base::Status Accept(view::kubeconfig::ExecCredential answer) {
    if (answer.apiVersion() != plugin_.api_version) {
      return base::InvalidArgument(fmt::format("{} answered with apiVersion {}, expected {}",
                                               plugin_.command, answer.apiVersion(),
                                               plugin_.api_version));
    }
    const view::kubeconfig::ExecCredentialStatus status = answer.status();
    Credential credential;
    if (!status.token().empty()) {
      credential.authorization = "Bearer " + std::string(status.token());
    }
    credential.certificate_pem = status.clientCertificateData();
    credential.key_pem = status.clientKeyData();
    if (credential == Credential{}) {
      return base::InvalidArgument(plugin_.command + " answered without token or certificate");
    }
    expires_.reset();
    if (!status.expirationTimestamp().empty()) {
      COPPICE_ASSIGN(expires_, base::ParseRfc3339(status.expirationTimestamp()));
    }
    cached_ = std::move(credential);
    return {};
  }

  const ExecPlugin plugin_;
  const base::Clock& clock_;
  std::mutex mutex_;  // Guards what follows; held while the plugin runs, so it runs once.
  std::optional<Credential> cached_;
  std::optional<base::Time> expires_;
};

}  // namespace

base::Result<ExecPlugin> ReadExecPlugin(const json::Value& document, const std::string& dir) {
  const view::kubeconfig::ExecConfig exec(document);
  ExecPlugin plugin;
  plugin.api_version = exec.apiVersion();
  plugin.command = exec.command();
  if (plugin.command.empty()) return base::InvalidArgument("exec.command is required");
  if (!IsSupported(plugin.api_version)) {
    return base::InvalidArgument(
        fmt::format("exec.apiVersion \"{}\" is not supported: use client.authentication.k8s.io/v1",
                    plugin.api_version));
  }
  if (exec.interactiveMode() == "Always") {
    return base::InvalidArgument("exec.interactiveMode Always needs a terminal");
  }
  // A plain name is looked up in PATH.
  if (plugin.command.find('/') != std::string::npos) {
    plugin.command = ResolvePath(dir, plugin.command);
  }
  for (const std::string_view arg : exec.args()) plugin.args.emplace_back(arg);
  for (const view::kubeconfig::ExecVariable variable : exec.env()) {
    plugin.env[std::string(variable.name())] = variable.value();
  }
  plugin.install_hint = exec.installHint();
  return plugin;
}

std::shared_ptr<CredentialSource> ExecCredentials(ExecPlugin plugin, const base::Clock& clock) {
  return std::make_shared<ExecSource>(std::move(plugin), clock);
}

}  // namespace coppice::kube
