#include "kube/config/kubeconfig.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "api/edit/kubeconfig.h"
#include "api/key/kubeconfig.h"
#include "api/view/kubeconfig.h"
#include "base/base64.h"
#include "base/files.h"
#include "json/value.h"
#include "json/yaml/yaml.h"
#include "kube/config/exec_plugin.h"
#include "kube/config/files.h"
#include "kube/config/token_source.h"

namespace coppice::kube {
namespace {

using json::Value;
using Key = key::kubeconfig::Config;
using ClusterKey = key::kubeconfig::Cluster;
using UserKey = key::kubeconfig::User;

// The folder of the file that an entry came from, which its relative paths start at.
constexpr std::string_view kOrigin = "coppice-origin";

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> SplitPaths(const std::string& paths) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= paths.size();) {
    const size_t end = std::min(paths.find(':', begin), paths.size());
    if (end > begin) parts.push_back(paths.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> KubeconfigFiles(const std::string& given) {
  if (!given.empty()) return SplitPaths(given);
  if (const std::string listed = Environment("KUBECONFIG"); !listed.empty()) {
    return SplitPaths(listed);
  }
  return {Environment("HOME") + "/.kube/config"};
}

// Clusters, contexts and users all have one.
std::string_view NameOf(const Value& entry) { return view::kubeconfig::NamedCluster(entry).name(); }

const Value* FindNamed(const Value& list, std::string_view name) {
  for (const Value& entry : list.Items()) {
    if (NameOf(entry) == name) return &entry;
  }
  return nullptr;
}

void MergeFile(const Value& file, const std::string& dir, Value& merged) {
  for (const std::string_view section : {Key::clusters, Key::contexts, Key::users}) {
    for (const Value& entry : file[section].Items()) {
      if (FindNamed(merged[section], NameOf(entry)) != nullptr) continue;
      merged.Mutable(section).Append(Value(entry).Set(kOrigin, dir));
    }
  }
  if (view::kubeconfig::Config(merged).current_context().empty()) {
    edit::kubeconfig::Config(merged).set_current_context(
        view::kubeconfig::Config(file).current_context());
  }
}

base::Result<Value> LoadMerged(const std::vector<std::string>& files) {
  Value merged = Value::Object();
  bool found = false;
  for (const std::string& path : files) {
    const auto text = base::ReadFile(path);
    if (text.Is(base::ErrorCode::kNotFound) && files.size() > 1) continue;
    if (!text) return text.error();
    const auto file = json::ParseYaml(*text);
    if (!file) return file.error().During("kubeconfig " + path);
    MergeFile(*file, std::filesystem::absolute(path).parent_path().string(), merged);
    found = true;
  }
  if (!found) return base::NotFound("none of the kubeconfig files exists");
  return merged;
}

// The field that holds data in base64, and the one that names a file with it.
struct DataFields {
  std::string_view data, file;
};
constexpr DataFields kAuthority = {ClusterKey::certificate_authority_data,
                                   ClusterKey::certificate_authority};
constexpr DataFields kCertificate = {UserKey::client_certificate_data, UserKey::client_certificate};
constexpr DataFields kClientKey = {UserKey::client_key_data, UserKey::client_key};

base::Result<std::string> DataOrFile(const Value& entry, const DataFields& fields,
                                     const std::string& dir) {
  if (const Value& data = entry[fields.data]; !data.AsString().empty()) {
    auto decoded = base::Base64Decode(data.AsString());
    if (!decoded) return decoded.error().During(std::string(fields.data));
    return decoded;
  }
  const std::string path = entry[fields.file].ToString();
  if (path.empty()) return std::string();
  auto contents = base::ReadFile(ResolvePath(dir, path));
  if (!contents) return contents.error().During(std::string(fields.file));
  return contents;
}

base::Status ReadCluster(const Value& entry, ClusterConfig& config) {
  const view::kubeconfig::Cluster cluster = view::kubeconfig::NamedCluster(entry).cluster();
  config.server = cluster.server();
  if (config.server.empty()) return base::InvalidArgument("cluster.server is required");
  while (config.server.ends_with('/')) config.server.pop_back();
  config.proxy_url = cluster.proxy_url();
  config.tls.server_name = cluster.tls_server_name();
  config.tls.insecure_skip_verify = cluster.insecure_skip_tls_verify();
  COPPICE_ASSIGN(config.tls.ca_pem,
                 DataOrFile(cluster.Json(), kAuthority, entry[kOrigin].ToString()));
  if (config.tls.insecure_skip_verify && !config.tls.ca_pem.empty()) {
    return base::InvalidArgument(
        "certificate-authority and insecure-skip-tls-verify exclude each other");
  }
  return {};
}

// The cluster information for a plugin with provideClusterInfo.
Value ClusterInfo(const ClusterConfig& config) {
  Value info;
  const edit::kubeconfig::Cluster edit(info);
  edit.set_server(config.server);
  if (!config.tls.ca_pem.empty()) {
    edit.set_certificate_authority_data(base::Base64Encode(config.tls.ca_pem));
  }
  if (!config.tls.server_name.empty()) edit.set_tls_server_name(config.tls.server_name);
  if (config.tls.insecure_skip_verify) edit.set_insecure_skip_tls_verify(true);
  if (!config.proxy_url.empty()) edit.set_proxy_url(config.proxy_url);
  return info;
}

// Kubeconfig's as, as-uid, as-groups and as-user-extra, in the form that requests carry them.
http::Headers ReadImpersonation(view::kubeconfig::User user) {
  http::Headers headers;
  if (!user.as().empty()) headers.Add("Impersonate-User", user.as());
  if (!user.as_uid().empty()) headers.Add("Impersonate-Uid", user.as_uid());
  for (const std::string_view group : user.as_groups()) headers.Add("Impersonate-Group", group);
  for (const auto& [extra, values] : user.as_user_extra()) {
    const std::string name = "Impersonate-Extra-" + http::EncodeUrl(extra);
    for (const Value& value : values.Items()) headers.Add(name, value.AsString());
  }
  return headers;
}

base::Status ReadUser(const Value& entry, const base::Clock& clock, ClusterConfig& config) {
  const view::kubeconfig::User user = view::kubeconfig::NamedUser(entry).user();
  const std::string dir = entry[kOrigin].ToString();
  config.impersonation = ReadImpersonation(user);
  COPPICE_ASSIGN(config.tls.certificate_pem, DataOrFile(user.Json(), kCertificate, dir));
  COPPICE_ASSIGN(config.tls.key_pem, DataOrFile(user.Json(), kClientKey, dir));
  if (const std::string file(user.tokenFile()); !file.empty()) {
    config.credentials = TokenFile(ResolvePath(dir, file), clock);
  } else if (const std::string token(user.token()); !token.empty()) {
    config.credentials = FixedToken(token);
  } else if (const std::string name(user.username()); !name.empty()) {
    config.credentials = BasicAuth(name, std::string(user.password()));
  } else if (user.has_exec()) {
    COPPICE_ASSIGN(ExecPlugin plugin, ReadExecPlugin(user.exec().Json(), dir));
    if (user.exec().provideClusterInfo()) plugin.cluster = ClusterInfo(config);
    config.credentials = ExecCredentials(std::move(plugin), clock);
  } else if (user.has_auth_provider()) {
    return base::Unimplemented("auth-provider is gone from Kubernetes; use exec");
  }
  return {};
}

base::Result<const Value*> Named(const Value& section, const char* what, std::string_view name) {
  const Value* entry = FindNamed(section, name);
  if (entry == nullptr) {
    return base::NotFound(fmt::format("the kubeconfig has no {} \"{}\"", what, name));
  }
  return entry;
}

}  // namespace

base::Result<ClusterConfig> LoadKubeconfig(const KubeconfigOptions& options,
                                           const base::Clock& clock) {
  COPPICE_ASSIGN(const Value merged, LoadMerged(KubeconfigFiles(options.path)));
  const view::kubeconfig::Config file(merged);
  const std::string name(options.context.empty() ? file.current_context() : options.context);
  if (name.empty()) return base::InvalidArgument("the kubeconfig names no current-context");
  COPPICE_ASSIGN(const Value* entry, Named(file.contexts().Json(), "context", name));
  const view::kubeconfig::Context context = view::kubeconfig::NamedContext(*entry).context();
  COPPICE_ASSIGN(const Value* cluster, Named(file.clusters().Json(), "cluster", context.cluster()));
  ClusterConfig config;
  if (!context.namespace_().empty()) config.ns = context.namespace_();
  if (const auto read = ReadCluster(*cluster, config); !read) {
    return read.error().During(fmt::format("kubeconfig cluster \"{}\"", context.cluster()));
  }
  if (context.user().empty()) return config;
  COPPICE_ASSIGN(const Value* user, Named(file.users().Json(), "user", context.user()));
  if (const auto read = ReadUser(*user, clock, config); !read) {
    return read.error().During(fmt::format("kubeconfig user \"{}\"", context.user()));
  }
  return config;
}

base::Result<ClusterConfig> InClusterConfig(const base::Clock& clock, const std::string& dir) {
  const std::string host = Environment("KUBERNETES_SERVICE_HOST");
  const std::string port = Environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) return base::NotFound("not running in a pod");
  ClusterConfig config;
  const bool v6 = host.find(':') != std::string::npos;
  config.server = fmt::format("https://{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
  config.proxy_url = "none";
  COPPICE_ASSIGN(config.tls.ca_pem, base::ReadFile(dir + "/ca.crt"));
  if (const auto ns = base::ReadFile(dir + "/namespace")) config.ns = TrimSpace(*ns);
  config.credentials = TokenFile(dir + "/token", clock);
  COPPICE_TRY(config.credentials->Get());  // Fail now, not at the first request.
  return config;
}

base::Result<ClusterConfig> LoadClusterConfig(const KubeconfigOptions& options,
                                              const base::Clock& clock) {
  if (options.path.empty() && Environment("KUBECONFIG").empty()) {
    auto pod = InClusterConfig(clock);
    if (pod || !pod.Is(base::ErrorCode::kNotFound)) return pod;
  }
  return LoadKubeconfig(options, clock);
}

}  // namespace coppice::kube
