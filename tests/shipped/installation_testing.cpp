#include "installation_testing.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <re2/re2.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "api/well_known.h"
#include "base/base64.h"
#include "base/check.h"
#include "http/client/client.h"
#include "json/parse.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "server/tests/outside_address_testing.h"
#include "services/common/kind_resolver.h"
#include "source_dir.h"

namespace coppice::packaging {
namespace {

using json::Value;

const api::Resource kEndpoints{"", "v1", "endpoints", "Endpoints", true};
constexpr const char* kCertificates = "/tmp/k8s-webhook-server/serving-certs";
constexpr const char* kGrovePort = "port: 2750";

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// One that nobody listens on.
uint16_t FreePort() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  COPPICE_CHECK(bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0);
  COPPICE_CHECK(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  close(socket);
  return ntohs(address.sin_port);
}

bool Names(const std::vector<std::string>& arguments, std::string_view word) {
  return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
}

void Replace(std::string& text, const std::string& from, const std::string& to) {
  if (const size_t at = text.find(from); at != std::string::npos) {
    text.replace(at, from.size(), to);
  }
}

std::string DeedOf(const Value& line) {
  std::string deed = line["verb"].ToString() + " " + line["resource"].ToString();
  if (!line["group"].AsString().empty()) deed += "." + line["group"].ToString();
  if (line.Has("subresource")) deed += "/" + line["subresource"].ToString();
  return deed;
}

}  // namespace

std::vector<Value> ReadDocuments(const std::string& path) {
  auto documents = json::ParseYamlDocuments(ReadText(COPPICE_SOURCE_DIR "/" + path));
  EXPECT_TRUE(documents) << path;
  return documents.value_or(std::vector<Value>());
}

void ApplyTo(kube::Client& client, Value object) {
  const auto resource = services::KindResolver(client).Resolve(object["apiVersion"].AsString(),
                                                               object["kind"].AsString());
  ASSERT_TRUE(resource) << resource.error().message();
  if (resource->namespaced) object.Mutable("metadata").SetDefault("namespace", "default");
  const auto created = client.Create(*resource, object);
  ASSERT_TRUE(created || created.Is(base::ErrorCode::kAlreadyExists))
      << kube::Name(object) << ": " << created.error().message();
}

Installation::Installation(const std::string& kubernetes) {
  stack::StackOptions options;
  options.kubernetes_version = kubernetes;
  options.shape.pools = {{.count = 2, .gpus = 4}};
  options.components = *stack::ParseComponents("nodes,workloads");
  stack_ = *stack::Stack::Make(executor_, std::move(options));
  front_ = *server::HttpFront::Start(stack_->server(), executor_, {.audit_log = folder_ / "audit"});
  EXPECT_TRUE(stack_->Start());
  Apply(kube::NewObject(api::kNamespaces, "", kNamespace));
}

Installation::~Installation() {
  processes_.clear();
  stack_->Stop();
  front_->Stop();
}

void Installation::Apply(const Value& object) { ApplyTo(admin(), object); }

std::string Installation::TokenOf(const std::string& account) {
  const Value request = *json::ParseYaml(
      fmt::format("{{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, metadata: {{name: "
                  "{}, namespace: {}}}, spec: {{}}}}",
                  account, kNamespace));
  const auto token = admin().Create(api::kServiceAccounts, request, {.subresource = "token"});
  EXPECT_TRUE(token) << (token ? "" : token.error().message());
  return token ? (*token)["status"]["token"].ToString() : "";
}

std::string Installation::WriteKubeconfig(const std::string& account) {
  Value kubeconfig = *json::ParseYaml(*front_->AdminKubeconfig());
  kubeconfig.Mutable("users").MutableAt(0).Set("user",
                                               Value::Object({{"token", TokenOf(account)}}));
  const std::string path = folder_ / (account + ".kubeconfig");
  std::ofstream(path) << json::WriteYaml(kubeconfig);
  return path;
}

std::vector<Installation::Volume> Installation::Mount(const std::string& name, const Value& pod) {
  std::vector<Volume> mounted;
  for (const Value& mount : pod["containers"].At(0)["volumeMounts"].Items()) {
    const std::string folder = folder_ / (name + "-" + mount["name"].ToString());
    std::filesystem::create_directories(folder);
    const std::string_view part = mount["subPath"].AsString();
    mounted.push_back({mount["mountPath"].ToString(),
                       part.empty() ? folder : fmt::format("{}/{}", folder, part)});
    for (const Value& volume : pod["volumes"].Items()) {
      if (volume["name"] != mount["name"]) continue;
      // A kubelet waits for what a pod mounts.
      const auto find = [&](const api::Resource& resource, const Value& named) {
        Value data;
        EXPECT_TRUE(Wait([&] {
          const auto found = admin().Get(resource, {std::string(kNamespace), named.ToString()});
          if (found) data = (*found)["data"];
          return found.ok();
        })) << named.AsString();
        return data;
      };
      if (volume.Has("configMap")) {
        const Value data = find(api::kConfigMaps, volume["configMap"]["name"]);
        for (const json::Member& file : data.Members()) {
          std::ofstream(folder + "/" + std::string(file.name())) << file.value.AsString();
        }
      } else if (volume.Has("secret")) {
        const Value data = find(api::kSecrets, volume["secret"]["secretName"]);
        for (const json::Member& file : data.Members()) {
          std::ofstream(folder + "/" + std::string(file.name()))
              << *base::Base64Decode(file.value.AsString());
        }
      }
    }
  }
  return mounted;
}

std::vector<std::string> Installation::Arguments(const Value& container,
                                                 const std::vector<Volume>& volumes,
                                                 const std::string& account) {
  std::vector<std::string> arguments;
  for (const char* part : {"command", "args"}) {
    for (const Value& word : container[part].Items()) arguments.push_back(word.ToString());
  }
  if (arguments.front() == "coppice") arguments.erase(arguments.begin());
  for (std::string& argument : arguments) {
    for (const Volume& volume : volumes) Replace(argument, volume.mount_path, volume.folder);
  }
  arguments.push_back("--kubeconfig=" + WriteKubeconfig(account));
  return arguments;
}

void Installation::Route(const std::string& service, const std::string& port_name, uint16_t port) {
  if (!admin().Get(api::kServices, {std::string(kNamespace), service})) return;
  Value endpoints = kube::NewObject(kEndpoints, kNamespace, service);
  endpoints.Set(
      "subsets",
      Value::Array({Value::Object(
          {{"addresses", Value::Array({Value::Object({{"ip", server::OutsideAddress()}})})},
           {"ports", Value::Array({Value::Object(
                         {{"name", port_name}, {"port", static_cast<int>(port)}})})}})}));
  EXPECT_TRUE(admin().Create(kEndpoints, endpoints));
}

void Installation::Run(const Value& deployment) {
  const std::string name(kube::Name(deployment));
  if (processes_.contains(name)) return;
  const Value& pod = deployment["spec"]["template"]["spec"];
  const std::vector<Volume> volumes = Mount(name, pod);
  std::vector<std::string> arguments =
      Arguments(pod["containers"].At(0), volumes, pod["serviceAccountName"].ToString());
  const uint16_t port = FreePort(), grove_port = FreePort();
  // Every process is on this one machine.
  for (const char* flag : {"--metrics-bind-address=0", "--health-probe-bind-address=0",
                           "--admin-address=127.0.0.1:0"}) {
    arguments.push_back(flag);
  }
  arguments.push_back(fmt::format("--webhook-addr={}", port));
  if (Names(arguments, "binder")) arguments.push_back("--fake-gpu-nodes");
  if (Names(arguments, "admission")) arguments.push_back("--gpu-sharing-enabled");
  for (const Volume& volume : volumes) {
    if (volume.mount_path == kCertificates) {
      arguments.push_back("--webhook-certificates=" + volume.folder);
      Route(name, "webhook", port);
    }
    const std::string config = volume.folder + "/operator.yaml";
    if (std::filesystem::exists(config)) {
      std::string text = ReadText(config);
      Replace(text, kGrovePort, fmt::format("port: {}", grove_port));
      std::ofstream(config) << text;
      if (Names(arguments, "operator")) Route("grove-operator", "webhook", grove_port);
    }
  }
  processes_[name] = std::make_unique<cli::Process>(arguments, folder_ / (name + ".log"));
}

int Installation::RunJob(const Value& job) {
  const std::string name(kube::Name(job));
  const Value& pod = job["spec"]["template"]["spec"];
  const std::vector<Volume> volumes = Mount(name, pod);
  cli::Process process(
      Arguments(pod["containers"].At(0), volumes, pod["serviceAccountName"].ToString()),
      folder_ / (name + ".log"));
  process.ReadAll();
  return process.Wait();
}

bool Installation::Wait(const std::function<bool()>& wanted) {
  for (int i = 0; i < 600; ++i) {
    if (wanted()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

std::vector<std::string> Installation::RunningDeployments() const {
  std::vector<std::string> names;
  for (const auto& [name, process] : processes_) names.push_back(name);
  return names;
}

Deeds Installation::Read(bool refused) const {
  const std::string prefix = fmt::format("system:serviceaccount:{}:", kNamespace);
  Deeds deeds;
  std::ifstream log(folder_ / "audit");
  for (std::string text; std::getline(log, text);) {
    const auto line = json::Parse(text);
    if (!line || !(*line).Has("resource")) continue;
    const std::string user = (*line)["user"].ToString();
    if (!user.starts_with(prefix) || ((*line)["code"].AsInt() == 403) != refused) continue;
    deeds[user.substr(prefix.size())].insert(DeedOf(*line));
  }
  return deeds;
}

std::pair<int, std::string> Installation::Ask(const std::string& name,
                                              const std::string& path) const {
  static const RE2 kUrl("admin server.*(http://127\\.0\\.0\\.1:[0-9]+)");
  std::string url;
  if (!RE2::PartialMatch(LogOf(name), kUrl, &url)) return {0, LogOf(name)};
  const auto transport = http::ClientTransport::Make({.proxy_url = "none"});
  if (!transport) return {0, transport.error().message()};
  const http::Exchange exchange = (*transport)->Send({.url = url + path});
  if (!exchange.response) return {0, exchange.response.error().message()};
  return {exchange.response->status, std::string(exchange.response->BodyView())};
}

std::string Installation::Doctor() {
  const std::string path = folder_ / "admin.kubeconfig";
  std::ofstream(path) << *front_->AdminKubeconfig();
  const cli::Printed printed = cli::RunToTheEnd({"doctor", "--kubeconfig", path});
  return printed.text + printed.errors;
}

std::string Installation::LogOf(const std::string& name) const {
  return ReadText(folder_ / (name + ".log"));
}

}  // namespace coppice::packaging
