#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "store/sqlite/sqlite_journal.h"
#include "store/store_image_testing.h"

// A disk without room: what was acknowledged stays, deletions and small changes go on, a restart
// works, and room that is there again is used.
namespace coppice::store {
namespace {

constexpr size_t kLarge = 60000;

// Runs `test` in a process of its own, whose limits end with it. It ends as if killed: destructors
// of the parent's objects do not run.
void InAProcess(const std::function<void()>& test) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    test();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

// No file of this process may be larger.
void LimitFiles(rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

std::string Fill(StoreFolder& folder) {
  int i = 0;
  while (i < 500 && folder.Put("large" + std::to_string(i), i, kLarge)) ++i;
  EXPECT_GT(i, 3);
  EXPECT_LT(i, 500);
  return "large" + std::to_string(i - 1);
}

void Start(StoreFolder& folder) {
  const base::Status started = folder.Start();
  ASSERT_TRUE(started) << started.error().ToString();
  EXPECT_EQ(folder.Missing(), "");
}

void ExpectFull(StoreFolder& folder) {
  const auto refused = folder.store().Put("pods", "one more", 0,
                                          json::Value::Object({{"t", std::string(kLarge, 'y')}}));
  ASSERT_TRUE(refused.Is(base::ErrorCode::kUnavailable));
  EXPECT_NE(refused.error().message().find("the disk is full"), std::string::npos)
      << refused.error().message();
  EXPECT_TRUE(folder.store().CheckRoom().Is(base::ErrorCode::kUnavailable));
}

// The whole story, wherever the folder is and whatever limits it.
void FillAndRecover(StoreFolder& folder) {
  Start(folder);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(folder.Put("small" + std::to_string(i), i, 200));
  const std::string last = Fill(folder);
  ExpectFull(folder);
  for (int round = 0; round < 300; ++round) {
    ASSERT_TRUE(folder.Put("small" + std::to_string(round % 20), round, 200)) << round;
  }
  ExpectFull(folder);
  Start(folder);  // On the full disk.
  ExpectFull(folder);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(folder.Delete("small" + std::to_string(i))) << i;
  for (int i = 0; folder.store().Get("pods", "large" + std::to_string(i)); ++i) {
    ASSERT_TRUE(folder.Delete("large" + std::to_string(i))) << i;
  }
  EXPECT_EQ(folder.store().Count("pods"), 0u);
  const base::Status room = folder.store().CheckRoom();
  EXPECT_TRUE(room) << room.error().ToString();
  Fill(folder);
  Start(folder);
}

TEST(FullDisk, FilesThatMayNotGrow) {
  InAProcess([] {
    StoreFolder folder;
    LimitFiles(3 << 20);
    FillAndRecover(folder);
  });
}

// A process that is killed on the full disk leaves what the next one can start with.
TEST(FullDisk, AKillOnTheFullDisk) {
  StoreFolder folder;
  InAProcess([&] {
    LimitFiles(3 << 20);
    Start(folder);
    Fill(folder);
    ASSERT_TRUE(folder.Delete("large0"));
    _exit(testing::Test::HasFailure() ? 1 : 0);
  });
  InAProcess([&] {
    LimitFiles(3 << 20);
    const base::Status started = folder.Start();
    ASSERT_TRUE(started) << started.error().ToString();
    EXPECT_FALSE(folder.store().Get("pods", "large0"));
    ASSERT_TRUE(folder.store().Get("pods", "large1"));
    EXPECT_TRUE(folder.Delete("large1"));
  });
}

// A file system of its own, which the test fills up beside the database.
TEST(FullDisk, ADiskThatOthersFill) {
  StoreFolder folder;
  const std::string dir = folder.path().substr(0, folder.path().rfind('/'));
  if (mount("tmpfs", dir.c_str(), "tmpfs", 0, "size=8m") != 0) {
    GTEST_SKIP() << "a small file system cannot be mounted here";
  }
  const auto others = [&] {
    std::ofstream file(dir + "/others", std::ios::app);
    const std::string block(4096, 'o');
    while (file << block << std::flush) {
    }
  };
  {
    Start(folder);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(folder.Put("small" + std::to_string(i), i, 200));
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(folder.Put("large" + std::to_string(i), i, kLarge));
    others();
    Fill(folder);
    ExpectFull(folder);
    for (int round = 0; round < 300; ++round) {
      EXPECT_TRUE(folder.Put("small" + std::to_string(round % 20), round, 200)) << round;
    }
    folder.Stop();
    others();  // Whatever the process has given back.
    Start(folder);
    ExpectFull(folder);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(folder.Delete("large" + std::to_string(i))) << i;
    EXPECT_TRUE(folder.Put("again", 1, kLarge)) << "in the room of what was deleted";
    EXPECT_TRUE(folder.store().CheckRoom());
    Start(folder);
    folder.Stop();
  }
  EXPECT_EQ(umount2(dir.c_str(), MNT_DETACH), 0);
}

// What is large must not take what comes at the same time with it.
TEST(FullDisk, DeletionsPassWhatDoesNotFit) {
  StoreFolder folder;
  auto store = *Store::Open(*OpenSqliteJournal(folder.path(), {.max_bytes = 1 << 20}), {});
  const json::Value large = json::Value::Object({{"t", std::string(kLarge, 'x')}});
  std::vector<VersionPtr> written;
  while (written.size() < 100) {
    auto put = store->Put("pods", "p" + std::to_string(written.size()), 0, large);
    if (!put) break;
    written.push_back(*put);
  }
  ASSERT_LT(written.size(), 100u);
  std::atomic<int> deleted = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      deleted += store->Delete("pods", written[i]->name(), written[i]->revision()).ok();
    });
    threads.emplace_back([&, i] {
      const json::Value huge = json::Value::Object({{"t", std::string(2 << 20, 'x')}});
      EXPECT_FALSE(store->Put("pods", "huge" + std::to_string(i), 0, huge));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(deleted, 4);
  EXPECT_EQ(store->Count("pods"), written.size() - 4);
}

}  // namespace
}  // namespace coppice::store
