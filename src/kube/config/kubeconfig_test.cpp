#include "kube/config/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/base64.h"

namespace coppice::kube {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

// A folder for one test's files.
class KubeconfigTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/coppice_kubeconfig_XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    dir_ = name;
    unsetenv("KUBECONFIG");
    unsetenv("KUBERNETES_SERVICE_HOST");
  }
  void TearDown() override {
    std::filesystem::remove_all(dir_);
    unsetenv("KUBECONFIG");
  }

  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = dir_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }
  std::string WriteProgram(const std::string& name, const std::string& text) {
    const std::string path = Write(name, "#!/bin/sh\n" + text);
    chmod(path.c_str(), 0755);
    return path;
  }
  // A kubeconfig with one context whose user is `user` (YAML, indented by four).
  std::string WriteConfig(const std::string& user, const std::string& cluster = "") {
    return Write("config",
                 "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                 "contexts:\n- name: c\n  context: {cluster: k, user: u, namespace: team}\n"
                 "clusters:\n- name: k\n  cluster:\n    server: https://example.com:6443/\n" +
                     cluster + "users:\n- name: u\n  user:\n" + user);
  }
  base::Result<ClusterConfig> Load(const std::string& path, const std::string& context = "") {
    return LoadKubeconfig({.path = path, .context = context}, clock_);
  }

  base::VirtualClock clock_;
  std::string dir_;
};

TEST_F(KubeconfigTest, ReadsClusterUserAndNamespace) {
  const auto config = Load(WriteConfig("    token: secret\n"));
  ASSERT_TRUE(config) << config.error().ToString();
  EXPECT_EQ(config->server, "https://example.com:6443");
  EXPECT_EQ(config->ns, "team");
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer secret");
  EXPECT_FALSE(config->tls.insecure_skip_verify);
}

TEST_F(KubeconfigTest, ReadsAsWhomToAct) {
  const auto config =
      Load(WriteConfig("    token: secret\n    as: jane\n    as-uid: u1\n    as-groups: [a, b]\n"
                       "    as-user-extra: {example.com/scope: [x]}\n"));
  ASSERT_TRUE(config) << config.error().ToString();
  EXPECT_EQ(config->impersonation.Get("impersonate-user"), "jane");
  EXPECT_EQ(config->impersonation.Get("impersonate-uid"), "u1");
  EXPECT_EQ(config->impersonation.Joined("impersonate-group"), "a, b");
  EXPECT_EQ(config->impersonation.Get("impersonate-extra-example.com%2fscope"), "x");
}

TEST_F(KubeconfigTest, ReadsCertificatesInlineAndFromFiles) {
  Write("pki/client.crt", "from-file");
  const auto config =
      Load(WriteConfig("    client-certificate: pki/client.crt\n    client-key-data: " +
                           base::Base64Encode("inline-key") + "\n",
                       "    certificate-authority-data: " + base::Base64Encode("inline-ca") +
                           "\n    tls-server-name: other\n    proxy-url: http://proxy:8080\n"));
  ASSERT_TRUE(config) << config.error().ToString();
  EXPECT_EQ(config->tls.certificate_pem, "from-file");
  EXPECT_EQ(config->tls.key_pem, "inline-key");
  EXPECT_EQ(config->tls.ca_pem, "inline-ca");
  EXPECT_EQ(config->tls.server_name, "other");
  EXPECT_EQ(config->proxy_url, "http://proxy:8080");
}

TEST_F(KubeconfigTest, SkipsVerificationOnlyWhenAsked) {
  const auto config = Load(WriteConfig("    token: t\n", "    insecure-skip-tls-verify: true\n"));
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->tls.insecure_skip_verify);
  const auto both = Load(WriteConfig(
      "    token: t\n", "    insecure-skip-tls-verify: true\n    certificate-authority-data: " +
                            base::Base64Encode("ca") + "\n"));
  EXPECT_TRUE(both.Is(ErrorCode::kInvalidArgument));
}

TEST_F(KubeconfigTest, MergesFilesAndTheFirstWins) {
  const std::string first = Write("one/config",
                                  "contexts:\n- {name: a, context: {cluster: ka, user: ua}}\n"
                                  "clusters:\n- {name: ka, cluster: {server: https://first}}\n");
  const std::string second =
      Write("two/config",
            "current-context: a\ncontexts:\n- {name: b, context: {cluster: kb, user: ua}}\n"
            "clusters:\n- {name: ka, cluster: {server: https://second}}\n"
            "- {name: kb, cluster: {server: https://b, certificate-authority: ca.crt}}\n"
            "users:\n- {name: ua, user: {token: shared}}\n");
  Write("two/ca.crt", "ca of two");
  setenv("KUBECONFIG", (first + ":" + dir_ + "/missing:" + second).c_str(), 1);
  const auto current = Load("");
  ASSERT_TRUE(current) << current.error().ToString();
  EXPECT_EQ(current->server, "https://first");
  EXPECT_EQ(current->credentials->Get()->authorization, "Bearer shared");
  const auto other = Load("", "b");
  ASSERT_TRUE(other) << other.error().ToString();
  EXPECT_EQ(other->tls.ca_pem, "ca of two") << "paths are relative to their own file";
}

TEST_F(KubeconfigTest, SaysWhatIsMissing) {
  EXPECT_TRUE(Load(dir_ + "/none").Is(ErrorCode::kNotFound));
  const std::string path = WriteConfig("    token: t\n");
  EXPECT_THAT(Load(path, "nowhere").error().message(), HasSubstr("no context \"nowhere\""));
  EXPECT_TRUE(Load(Write("broken", "a: [")).Is(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Load(Write("empty", "{}")).error().message(), HasSubstr("current-context"));
  EXPECT_THAT(Load(WriteConfig("    client-certificate: none.crt\n")).error().message(),
              HasSubstr("none.crt"));
  EXPECT_THAT(Load(WriteConfig("    client-certificate-data: '!'\n")).error().message(),
              HasSubstr("client-certificate-data"));
}

TEST_F(KubeconfigTest, ReadsTokenFilesAgain) {
  Write("token", "first\n");
  const auto config = Load(WriteConfig("    tokenFile: token\n    token: ignored\n"));
  ASSERT_TRUE(config) << config.error().ToString();
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer first");
  Write("token", "second");
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer first");
  clock_.Advance(std::chrono::seconds(61));
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer second");
  Write("token", "third");
  config->credentials->Invalidate();
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer third");
}

class ExecPluginTest : public KubeconfigTest {
 protected:
  // A plugin that counts its calls and answers with the count.
  std::string Plugin(const std::string& version, const std::string& more = "") {
    return WriteProgram(
        "plugin", "n=$(cat " + dir_ + "/count 2>/dev/null || echo 0); n=$((n+1)); echo $n > " +
                      dir_ + "/count\n" +
                      "echo \"{\\\"apiVersion\\\":\\\"client.authentication.k8s.io/" + version +
                      "\\\",\\\"kind\\\":\\\"ExecCredential\\\",\\\"status\\\":{\\\"token\\\":\\\""
                      "token-$n-$WHO\\\"" +
                      more + "}}\"\n");
  }
  std::string Config(const std::string& command, const std::string& version) {
    return WriteConfig("    exec:\n      apiVersion: client.authentication.k8s.io/" + version +
                       "\n      command: " + command +
                       "\n      installHint: install it\n      env: [{name: WHO, value: me}]\n");
  }
};

TEST_F(ExecPluginTest, KeepsCredentialsUntilTheyExpire) {
  Plugin("v1", ",\\\"expirationTimestamp\\\":\\\"2026-01-01T01:00:00Z\\\"");
  const auto config = Load(Config("./plugin", "v1"));
  ASSERT_TRUE(config) << config.error().ToString();
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer token-1-me");
  clock_.Advance(std::chrono::minutes(59));
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer token-1-me");
  clock_.Advance(std::chrono::minutes(2));
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer token-2-me");
}

TEST_F(ExecPluginTest, AsksAgainWhenRefused) {
  Plugin("v1beta1");
  const auto config = Load(Config("./plugin", "v1beta1"));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer token-1-me");
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer token-1-me");
  config->credentials->Invalidate();
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer token-2-me");
}

TEST_F(ExecPluginTest, TellsThePluginAboutTheCluster) {
  WriteProgram(
      "plugin",
      "printf '%s' \"$KUBERNETES_EXEC_INFO\" > " + dir_ +
          "/info\n"
          "echo "
          "'{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"t\"}}'");
  const auto config =
      Load(WriteConfig("    exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin,"
                       " provideClusterInfo: true}\n"));
  ASSERT_TRUE(config);
  ASSERT_TRUE(config->credentials->Get());
  std::ifstream file(dir_ + "/info");
  const std::string info((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(info, HasSubstr("\"server\":\"https://example.com:6443\""));
  EXPECT_THAT(info, HasSubstr("\"interactive\":false"));
}

TEST_F(ExecPluginTest, SaysWhyAPluginDidNotWork) {
  const auto get = [&](const std::string& path) {
    const auto config = Load(path);
    return config ? config->credentials->Get().error().message() : config.error().message();
  };
  EXPECT_THAT(get(Config("./missing", "v1")), HasSubstr("install it"));
  WriteProgram("fails", "exit 3");
  EXPECT_THAT(get(Config("./fails", "v1")), HasSubstr("status 3"));
  WriteProgram("talks", "echo hello");
  EXPECT_THAT(get(Config("./talks", "v1")), HasSubstr("JSON"));
  Plugin("v1beta1");
  EXPECT_THAT(get(Config("./plugin", "v1")), HasSubstr("expected"));
  EXPECT_THAT(get(Config("./plugin", "v1alpha1")), HasSubstr("not supported"));
}

TEST_F(KubeconfigTest, ReadsThePodsConfiguration) {
  Write("ca.crt", "pod ca");
  Write("token", "pod token");
  Write("namespace", "pod-ns");
  EXPECT_TRUE(InClusterConfig(clock_, dir_).Is(ErrorCode::kNotFound));
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  const auto config = InClusterConfig(clock_, dir_);
  unsetenv("KUBERNETES_SERVICE_HOST");
  ASSERT_TRUE(config) << config.error().ToString();
  EXPECT_EQ(config->server, "https://[fd00::1]:443");
  EXPECT_EQ(config->ns, "pod-ns");
  EXPECT_EQ(config->tls.ca_pem, "pod ca");
  EXPECT_EQ(config->credentials->Get()->authorization, "Bearer pod token");
}

}  // namespace
}  // namespace coppice::kube
