#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "store/files/checksum.h"
#include "store/files/promise.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/sqlite_journal.h"
#include "store/store_image_testing.h"

// Databases of earlier versions, and backups.
namespace coppice::store {
namespace {

using testing::HasSubstr;

// As format 1 or 2 wrote it. Left as a killed process leaves it, with a log.
Image OldDatabase(StoreFolder& folder, int format, bool damaged = false) {
  Database db = *OpenDatabase(folder.path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  const auto run = [&](const std::string& sql) {
    const base::Status done = Execute(db.get(), sql.c_str());
    EXPECT_TRUE(done) << sql << ": " << done.error().ToString();
  };
  run("PRAGMA page_size=8192; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL");
  run(
      fmt::format("CREATE TABLE objects (resource TEXT NOT NULL, name TEXT NOT NULL, revision "
                  "INTEGER NOT NULL, body BLOB NOT NULL{}, PRIMARY KEY (resource, name))",
                  format == 1 ? "" : ", sum INTEGER"));
  run("CREATE TABLE state (key TEXT PRIMARY KEY, value INTEGER NOT NULL)");
  for (int i = 0; i < 50; ++i) {
    const std::string body = fmt::format(R"({{"n":{}}})", i);
    const auto sum = static_cast<int64_t>(Checksum(body) ^ (damaged && i == 30 ? 1 : 0));
    run(fmt::format("INSERT INTO objects VALUES ('pods', 'p{}', {}, '{}'{})", i, 10 + i, body,
                    format == 1 ? "" : fmt::format(", {}", sum)));
  }
  run(fmt::format("INSERT INTO state VALUES ('format', {}), ('revision', 70)", format));
  return folder.Take();
}

void ExpectAll(StoreFolder& folder) {
  EXPECT_EQ(folder.store().Count("pods"), 50u);
  EXPECT_EQ(folder.store().revision(), 70);
  for (int i = 0; i < 50; ++i) {
    const VersionPtr found = folder.store().Get("pods", "p" + std::to_string(i));
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(found->value()["n"].AsInt(), i);
    EXPECT_EQ(found->revision(), 10 + i);
  }
}

TEST(OlderFormats, AreBroughtUpToDate) {
  for (const int format : {1, 2}) {
    StoreFolder folder;
    folder.Put(OldDatabase(folder, format));
    for (int start = 0; start < 3; ++start) {
      const base::Status started = folder.Start();
      ASSERT_TRUE(started) << format << ": " << started.error().ToString();
      ExpectAll(folder);
    }
  }
}

// What a kill leaves at each step of the first start: nothing was acknowledged, nothing is refused.
TEST(OlderFormats, AFirstStartThatWasKilledIsBegunAnew) {
  constexpr uint32_t kIdentity = 77;
  const std::string named = fmt::format("PRAGMA application_id={}", kIdentity);
  const std::vector<std::vector<std::string>> steps = {
      {},
      {"PRAGMA user_version=0"},
      {named},
      {named, "PRAGMA journal_mode=WAL"},
  };
  for (size_t step = 0; step < steps.size(); ++step) {
    StoreFolder folder;
    ASSERT_TRUE(PromiseFile(folder.path() + "-promise").Write({.identity = kIdentity}));
    if (step > 0) {
      Database db = *OpenDatabase(folder.path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
      for (const std::string& sql : steps[step]) ASSERT_TRUE(Execute(db.get(), sql.c_str()));
    }
    for (int start = 0; start < 2; ++start) {
      const base::Status started = folder.Start();
      ASSERT_TRUE(started) << step << ": " << started.error().ToString();
      EXPECT_EQ(folder.Missing(), "") << step;
      folder.Work(5);
    }
  }
}

TEST(OlderFormats, ADamagedOneIsRefused) {
  StoreFolder folder;
  folder.Put(OldDatabase(folder, 2, true));
  const base::Status refused = folder.Start();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("pods p30 is not what was written"));
}

TEST(OlderFormats, ANewerOneIsRefused) {
  StoreFolder folder;
  ASSERT_TRUE(folder.Start());
  folder.Stop();
  {
    Database db = *OpenDatabase(folder.path(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(Execute(db.get(), "UPDATE state SET value = 99, sum = NULL WHERE key = 'format'"));
  }
  const base::Status refused = folder.Start();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("written by a newer version"));
}

TEST(Backups, RestoreIntoANewFolderOnly) {
  StoreFolder folder;
  ASSERT_TRUE(folder.Start());
  folder.Work(60);
  const std::string copy = folder.path() + ".backup";
  ASSERT_TRUE(BackUpSqlite(folder.path(), copy));
  const Acknowledged then = folder.acknowledged();
  folder.Work(10);
  folder.Stop();
  std::ifstream file(copy, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};

  StoreFolder fresh;
  fresh.Put(Image{{"", bytes}});
  fresh.SetAcknowledged(then);
  const base::Status started = fresh.Start();
  ASSERT_TRUE(started) << started.error().ToString();
  EXPECT_EQ(fresh.Missing(), "");
  fresh.Work(10);
  ASSERT_TRUE(fresh.Start());
  EXPECT_EQ(fresh.Missing(), "");

  Image over = folder.Take();
  over[""] = bytes;
  folder.Put(over);
  const base::Status refused = folder.Start();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("into a new folder"));
  EXPECT_TRUE(folder.Start(true)) << "if that is what is wanted";
  EXPECT_GE(folder.store().revision(), then.revision);
}

TEST(Backups, ADamagedFolderIsNotBackedUp) {
  StoreFolder folder;
  ASSERT_TRUE(folder.Start());
  folder.Work(30);
  Image image = folder.Take();
  image["-wal"][32 + 3 * 8216 + 500] ^= 4;
  folder.Put(image);
  const base::Status refused = BackUpSqlite(folder.path(), folder.path() + ".backup");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("coppice.db-wal is damaged"));
  EXPECT_EQ(folder.Take(), image) << "nothing was changed";
}

}  // namespace
}  // namespace coppice::store
