#include "kube/config/kubeconfig.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

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

const Value* FindNamed(const Value& list, std::string_view name) {
  for (const Value& entry : list.Items()) {
    if (entry["name"].AsString() == name) return &entry;
  }
  return nullptr;
}

void MergeFile(const Value& file, const std::string& dir, Value& merged) {
  for (const char* section : {"clusters", "contexts", "users"}) {
    for (const Value& entry : file[section].Items()) {
      if (FindNamed(merged[section], entry["name"].AsString()) != nullptr) continue;
      merged.Mutable(section).Append(Value(entry).Set(kOrigin, dir));
    }
  }
  if (merged["current-context"].AsString().empty()) {
    merged.Set("current-context", file["current-context"].ToString());
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

// `<field>-data` in base64, or the contents of the file that `<field>` names.
base::Result<std::string> DataOrFile(const Value& entry, const std::string& field,
                                     const std::string& dir) {
  if (const Value& data = entry[field + "-data"]; !data.AsString().empty()) {
    auto decoded = base::Base64Decode(data.AsString());
    if (!decoded) return decoded.error().During(field + "-data");
    return decoded;
  }
  const std::string path = entry[field].ToString();
  if (path.empty()) return std::string();
  auto contents = base::ReadFile(ResolvePath(dir, path));
  if (!contents) return contents.error().During(field);
  return contents;
}

base::Status ReadCluster(const Value& entry, ClusterConfig& config) {
  const Value& cluster = entry["cluster"];
  config.server = cluster["server"].ToString();
  if (config.server.empty()) return base::InvalidArgument("cluster.server is required");
  while (config.server.ends_with('/')) config.server.pop_back();
  config.proxy_url = cluster["proxy-url"].ToString();
  config.tls.server_name = cluster["tls-server-name"].ToString();
  config.tls.insecure_skip_verify = cluster["insecure-skip-tls-verify"].AsBool();
  COPPICE_ASSIGN(config.tls.ca_pem,
                 DataOrFile(cluster, "certificate-authority", entry[kOrigin].ToString()));
  if (config.tls.insecure_skip_verify && !config.tls.ca_pem.empty()) {
    return base::InvalidArgument(
        "certificate-authority and insecure-skip-tls-verify exclude each other");
  }
  return {};
}

// What a plugin with provideClusterInfo is told.
Value ClusterInfo(const ClusterConfig& config) {
  Value info = Value::Object({{"server", config.server}});
  if (!config.tls.ca_pem.empty()) {
    info.Set("certificate-authority-data", base::Base64Encode(config.tls.ca_pem));
  }
  if (!config.tls.server_name.empty()) info.Set("tls-server-name", config.tls.server_name);
  if (config.tls.insecure_skip_verify) info.Set("insecure-skip-tls-verify", true);
  if (!config.proxy_url.empty()) info.Set("proxy-url", config.proxy_url);
  return info;
}

// Kubeconfig's as, as-uid, as-groups and as-user-extra, in the form that requests carry them.
http::Headers ReadImpersonation(const Value& user) {
  http::Headers headers;
  if (!user["as"].AsString().empty()) headers.Add("Impersonate-User", user["as"].AsString());
  if (!user["as-uid"].AsString().empty()) headers.Add("Impersonate-Uid", user["as-uid"].AsString());
  for (const Value& group : user["as-groups"].Items()) {
    headers.Add("Impersonate-Group", group.AsString());
  }
  for (const json::Member& extra : user["as-user-extra"].Members()) {
    const std::string name = "Impersonate-Extra-" + http::EncodeUrl(extra.name());
    for (const Value& value : extra.value.Items()) headers.Add(name, value.AsString());
  }
  return headers;
}

base::Status ReadUser(const Value& entry, const base::Clock& clock, ClusterConfig& config) {
  const Value& user = entry["user"];
  const std::string dir = entry[kOrigin].ToString();
  config.impersonation = ReadImpersonation(user);
  COPPICE_ASSIGN(config.tls.certificate_pem, DataOrFile(user, "client-certificate", dir));
  COPPICE_ASSIGN(config.tls.key_pem, DataOrFile(user, "client-key", dir));
  if (const std::string file = user["tokenFile"].ToString(); !file.empty()) {
    config.credentials = TokenFile(ResolvePath(dir, file), clock);
  } else if (const std::string token = user["token"].ToString(); !token.empty()) {
    config.credentials = FixedToken(token);
  } else if (const std::string name = user["username"].ToString(); !name.empty()) {
    config.credentials = BasicAuth(name, user["password"].ToString());
  } else if (user.Has("exec")) {
    COPPICE_ASSIGN(ExecPlugin plugin, ReadExecPlugin(user["exec"], dir));
    if (user["exec"]["provideClusterInfo"].AsBool()) plugin.cluster = ClusterInfo(config);
    config.credentials = ExecCredentials(std::move(plugin), clock);
  } else if (user.Has("auth-provider")) {
    return base::Unimplemented("auth-provider is gone from Kubernetes; use exec");
  }
  return {};
}

base::Result<const Value*> Named(const Value& merged, const char* section, const char* what,
                                 const std::string& name) {
  const Value* entry = FindNamed(merged[section], name);
  if (entry == nullptr) {
    return base::NotFound(fmt::format("the kubeconfig has no {} \"{}\"", what, name));
  }
  return entry;
}

}  // namespace

base::Result<ClusterConfig> LoadKubeconfig(const KubeconfigOptions& options,
                                           const base::Clock& clock) {
  COPPICE_ASSIGN(const Value merged, LoadMerged(KubeconfigFiles(options.path)));
  const std::string name =
      options.context.empty() ? merged["current-context"].ToString() : options.context;
  if (name.empty()) return base::InvalidArgument("the kubeconfig names no current-context");
  COPPICE_ASSIGN(const Value* entry, Named(merged, "contexts", "context", name));
  const Value& context = (*entry)["context"];
  COPPICE_ASSIGN(const Value* cluster,
                 Named(merged, "clusters", "cluster", context["cluster"].ToString()));
  ClusterConfig config;
  if (!context["namespace"].AsString().empty()) config.ns = context["namespace"].ToString();
  if (const auto read = ReadCluster(*cluster, config); !read) {
    return read.error().During("kubeconfig cluster \"" + context["cluster"].ToString() + "\"");
  }
  if (context["user"].AsString().empty()) return config;
  COPPICE_ASSIGN(const Value* user, Named(merged, "users", "user", context["user"].ToString()));
  if (const auto read = ReadUser(*user, clock, config); !read) {
    return read.error().During("kubeconfig user \"" + context["user"].ToString() + "\"");
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
  COPPICE_TRY(config.credentials->Get());  // Tell now, not at the first request.
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
