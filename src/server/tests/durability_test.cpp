#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

class DurabilityTest : public testing::Test {
 protected:
  DurabilityTest()
      : dir_(std::filesystem::temp_directory_path() /
             ("coppice-server-" + std::to_string(getpid()) + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(dir_);
  }
  ~DurabilityTest() override { std::filesystem::remove_all(dir_); }

  ApiServer::Options Options() const { return {.data_dir = dir_.string()}; }

  const std::filesystem::path dir_;
};

json::Value Map(const std::string& name) {
  return kube::NewObject(api::kConfigMaps, "default", name);
}

TEST_F(DurabilityTest, ARestartKeepsEverything) {
  json::Value before;
  std::string revision;
  {
    TestServer server(0, Options());
    ASSERT_TRUE(server.server->InstallCrd(Doc(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: things, kind: Thing}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
)")));
    before = *server->Create(api::kConfigMaps, Map("a"));
    revision = server->List(api::kPods)->resource_version;
  }
  TestServer server(0, Options());
  EXPECT_EQ(*server->Get(api::kConfigMaps, {"default", "a"}), before);
  EXPECT_EQ(server->List(api::kPods)->resource_version, revision) << "a restart writes nothing";
  EXPECT_TRUE(server->List({"example.com", "v1", "things", "Thing", false}));
}

TEST_F(DurabilityTest, WorkGoesOnAfterARestart) {
  {
    TestServer server(0, Options());
    const json::Value owner = *server->Create(api::kConfigMaps, Map("owner"));
    json::Value child = Map("child");
    child.Mutable("metadata")
        .Set("ownerReferences", json::Value::Array({kube::MakeControllerReference(owner)}));
    ASSERT_TRUE(server->Create(api::kConfigMaps, child));
    // Nothing runs the controllers before the process ends.
    ASSERT_TRUE(
        server->Delete(api::kConfigMaps, {"default", "owner"}, {.propagation = "Foreground"}));
  }
  TestServer server(0, Options());
  server.stepper.RunUntilIdle();
  for (const char* name : {"owner", "child"}) {
    EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", name}).Is(base::ErrorCode::kNotFound))
        << name;
  }
}

TEST_F(DurabilityTest, ABackupRestores) {
  {
    ASSERT_TRUE(TestServer(0, Options())->Create(api::kConfigMaps, Map("a")));
  }
  const std::filesystem::path restored = dir_ / "restored";
  std::filesystem::create_directories(restored);
  ASSERT_TRUE(ApiServer::BackUp(dir_, restored / "coppice.db"));
  TestServer server(0, {.data_dir = restored.string()});
  EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", "a"}));
}

TEST_F(DurabilityTest, ARunningServerIsBackedUp) {
  TestServer running(0, Options());
  ASSERT_TRUE(running->Create(api::kConfigMaps, Map("a")));
  const std::filesystem::path restored = dir_ / "restored";
  std::filesystem::create_directories(restored);
  const base::Status done = ApiServer::BackUp(dir_, restored / "coppice.db");
  ASSERT_TRUE(done) << done.error().ToString();
  ASSERT_TRUE(running->Create(api::kConfigMaps, Map("b"))) << "it goes on";
  const std::string later = running->List(api::kConfigMaps)->resource_version;
  TestServer server(0, {.data_dir = restored.string()});
  EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", "a"}));
  EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", "b"}).Is(base::ErrorCode::kNotFound));
  // Who followed the original is told that this is another history.
  const auto ahead = server->List(api::kConfigMaps, {.resource_version = later});
  EXPECT_TRUE(ahead.Is(base::ErrorCode::kTimeout));
}

TEST_F(DurabilityTest, AFullDiskStopsWritesAndNothingElse) {
  ApiServer::Options options = Options();
  options.max_database_bytes = 4 << 20;
  TestServer server(0, options);
  const auto large = [](int i) {
    json::Value map = Map("m" + std::to_string(i));
    map.Mutable("data").Set("text", std::string(200000, 'x'));
    return map;
  };
  int written = 0;
  base::Result<json::Value> last = server->Create(api::kConfigMaps, large(written));
  while (last && written < 100) last = server->Create(api::kConfigMaps, large(++written));
  ASSERT_TRUE(last.Is(base::ErrorCode::kUnavailable)) << "after " << written;
  EXPECT_NE(last.error().message().find("the disk is full"), std::string::npos);
  EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", "m0"}));
  EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", "m" + std::to_string(written)})
                  .Is(base::ErrorCode::kNotFound));
  ASSERT_TRUE(server->Delete(api::kConfigMaps, {"default", "m0"}));
  EXPECT_TRUE(server->Create(api::kConfigMaps, large(1000)));
}

// A file system of a few megabytes, which only root can make.
class SmallDisk {
 public:
  explicit SmallDisk(const std::filesystem::path& dir) : dir_(dir.string()) {
    std::filesystem::create_directories(dir);
    mounted_ = mount("tmpfs", dir_.c_str(), "tmpfs", 0, "size=3m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(dir_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }

 private:
  const std::string dir_;
  bool mounted_ = false;
};

TEST_F(DurabilityTest, ADiskThatReallyFillsUpLosesNothing) {
  const SmallDisk disk(dir_);
  if (!disk.mounted())
    GTEST_SKIP() << "only root can mount a small file system: sudo ./dev test server";
  int written = 0;
  const auto large = [&] {
    json::Value map = Map("m" + std::to_string(written));
    map.Mutable("data").Set("text", std::string(100000, 'x'));
    return map;
  };
  {
    TestServer server(0, Options());
    base::Result<json::Value> last = server->Create(api::kConfigMaps, large());
    for (; last && written < 100; last = server->Create(api::kConfigMaps, large())) ++written;
    ASSERT_TRUE(last.Is(base::ErrorCode::kUnavailable)) << "after " << written;
    EXPECT_GT(written, 2);
    EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", "m0"})) << "what is there is served";
  }
  TestServer again(0, Options());
  for (int i = 0; i < written; ++i) {
    EXPECT_TRUE(again->Get(api::kConfigMaps, {"default", "m" + std::to_string(i)})) << i;
  }
  EXPECT_FALSE(again->Get(api::kConfigMaps, {"default", "m" + std::to_string(written)}));
}

TEST_F(DurabilityTest, ADamagedFileIsRefusedAtStart) {
  {
    ASSERT_TRUE(TestServer(0, Options())->Create(api::kConfigMaps, Map("a")));
  }
  std::filesystem::resize_file(dir_ / "coppice.db", 5000);
  const base::RealClock clock;
  const auto refused = ApiServer::Make({.clock = &clock, .data_dir = dir_.string()});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("damaged"), std::string::npos)
      << refused.error().message();
}

// A child process writes and says what was acknowledged; it is killed in the middle of it.
TEST_F(DurabilityTest, AnAcknowledgedWriteSurvivesKill) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    TestServer server(0, Options());
    for (uint32_t i = 0;; ++i) {
      if (!server->Create(api::kConfigMaps, Map("m" + std::to_string(i)))) _exit(1);
      if (write(pipe_ends[1], &i, sizeof i) != sizeof i) _exit(1);
    }
  }
  close(pipe_ends[1]);
  uint32_t last = 0;
  while (last < 25)
    ASSERT_EQ(read(pipe_ends[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
  ASSERT_EQ(kill(child, SIGKILL), 0);
  waitpid(child, nullptr, 0);
  for (uint32_t more; read(pipe_ends[0], &more, sizeof more) == sizeof more;) last = more;
  close(pipe_ends[0]);
  TestServer server(0, Options());
  for (uint32_t i = 0; i <= last; ++i) {
    EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", "m" + std::to_string(i)})) << i;
  }
}

}  // namespace
}  // namespace coppice::server
