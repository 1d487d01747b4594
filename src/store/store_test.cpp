#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "json/parse.h"
#include "store/files/checksum.h"
#include "store/sqlite/sqlite_journal.h"

namespace coppice::store {
namespace {

using base::ErrorCode;
using testing::ElementsAre;

json::Value Object(int n) { return json::Value::Object({{"n", n}}); }

// What every store must do, whatever it keeps its objects in.
struct Kind {
  const char* name;
  bool durable;
};

class StoreTest : public testing::TestWithParam<Kind> {
 protected:
  StoreTest()
      : dir_(std::filesystem::temp_directory_path() /
             ("coppice-store-" + std::to_string(getpid()) + "-" +
              std::to_string(reinterpret_cast<uintptr_t>(this)))) {
    std::filesystem::create_directories(dir_);
    Reopen();
  }
  ~StoreTest() override {
    store_.reset();
    std::filesystem::remove_all(dir_);
  }

  void Reopen(size_t history = 100, size_t history_bytes = 256 << 20) {
    store_.reset();
    if (!GetParam().durable) {
      store_ = Store::InMemory({history, history_bytes});
      return;
    }
    auto journal = OpenSqliteJournal(Path());
    ASSERT_TRUE(journal) << journal.error().ToString();
    store_ = *Store::Open(*std::move(journal), {history, history_bytes});
  }
  std::string Path() const { return dir_ / "db"; }
  std::vector<std::string> Names(const ListQuery& query = {}) {
    std::vector<std::string> names;
    const Listing listing = *store_->List("pods", query);
    for (const VersionPtr& version : listing.items) names.push_back(version->name());
    return names;
  }

  std::filesystem::path dir_;
  std::unique_ptr<Store> store_;
};

TEST_P(StoreTest, WritesAreConditional) {
  const VersionPtr first = *store_->Put("pods", "a", 0, Object(1));
  EXPECT_TRUE(store_->Put("pods", "a", 0, Object(2)).Is(ErrorCode::kConflict));
  EXPECT_TRUE(store_->Delete("pods", "a", 99).Is(ErrorCode::kConflict));
  const VersionPtr second = *store_->Put("pods", "a", first->revision(), Object(2));
  EXPECT_GT(second->revision(), first->revision());
  EXPECT_EQ(second->value()["metadata"]["resourceVersion"].AsString(),
            std::to_string(second->revision()));
  EXPECT_TRUE(store_->Delete("pods", "a", second->revision()));
  EXPECT_EQ(store_->Get("pods", "a"), nullptr);
  EXPECT_TRUE(store_->Delete("pods", "a", second->revision()).Is(ErrorCode::kConflict));
}

TEST_P(StoreTest, ListsByPrefixAndPage) {
  for (const char* name : {"x/b", "x/a", "y/a", "x/c"})
    ASSERT_TRUE(store_->Put("pods", name, 0, Object(0)));
  EXPECT_THAT(Names(), ElementsAre("x/a", "x/b", "x/c", "y/a"));
  EXPECT_THAT(Names({.prefix = "x/"}), ElementsAre("x/a", "x/b", "x/c"));
  EXPECT_THAT(Names({.prefix = "x/", .limit = 2}), ElementsAre("x/a", "x/b"));
  EXPECT_THAT(Names({.prefix = "x/", .after = "x/b", .limit = 2}), ElementsAre("x/c"));
  EXPECT_EQ(store_->List("pods", {.limit = 1})->remaining, 3u);
}

TEST_P(StoreTest, ShowsThePast) {
  ASSERT_TRUE(store_->Put("pods", "a", 0, Object(1)));
  const VersionPtr b = *store_->Put("pods", "b", 0, Object(1));
  const int64_t then = store_->revision();
  ASSERT_TRUE(store_->Put("pods", "c", 0, Object(1)));
  ASSERT_TRUE(store_->Delete("pods", "b", b->revision()));
  EXPECT_THAT(Names(), ElementsAre("a", "c"));
  EXPECT_THAT(Names({.at_revision = then}), ElementsAre("a", "b"));
  EXPECT_THAT(Names({.prefix = "b", .at_revision = then}), ElementsAre("b"));
  EXPECT_THAT(Names({.after = "a", .at_revision = then}), ElementsAre("b"));
  store_->Compact(store_->revision());
  EXPECT_TRUE(store_->List("pods", {.at_revision = then}).Is(ErrorCode::kGone));
}

TEST_P(StoreTest, HistoryTellsEveryChangeInOrder) {
  const int64_t start = store_->revision();
  const VersionPtr a = *store_->Put("pods", "a", 0, Object(1));
  ASSERT_TRUE(store_->Put("nodes", "n", 0, Object(1)));
  ASSERT_TRUE(store_->Delete("pods", "a", a->revision()));
  const Store::LogRead read = *store_->ReadLog("pods", start, 10);
  ASSERT_EQ(read.changes.size(), 2u);
  EXPECT_FALSE(read.changes[0].deleted);
  EXPECT_TRUE(read.changes[1].deleted);
  EXPECT_EQ(read.changes[1].previous, a);
  EXPECT_EQ(read.upto, store_->revision());
  EXPECT_EQ(store_->ReadLog("pods", start, 1)->upto, a->revision());
  EXPECT_TRUE(store_->ReadLog("pods", read.upto, 10)->changes.empty());
}

TEST_P(StoreTest, HistoryIsLimited) {
  Reopen(2);
  const int64_t start = store_->revision();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store_->Put("pods", std::to_string(i), 0, Object(i)));
  EXPECT_TRUE(store_->ReadLog("pods", start, 10).Is(ErrorCode::kGone));
  EXPECT_EQ(store_->ReadLog("pods", store_->revision() - 2, 10)->changes.size(), 2u);
}

// Somebody who writes a large object again and again.
TEST_P(StoreTest, HistoryIsLimitedInBytes) {
  Reopen(100, 100 << 10);
  const int64_t start = store_->revision();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(store_->Put("nodes", std::to_string(i), 0, Object(i)));
  }
  int64_t last = 0;
  for (int i = 0; i < 50; ++i) {
    json::Value large = Object(i);
    large.Set("text", std::string(10 << 10, 'x'));
    const auto put = store_->Put("pods", "a", last, std::move(large));
    ASSERT_TRUE(put);
    last = (*put)->revision();
  }
  EXPECT_TRUE(store_->ReadLog("pods", last - 20, 100).Is(ErrorCode::kGone));
  EXPECT_EQ(store_->ReadLog("pods", last - 5, 100)->changes.size(), 5u);
  EXPECT_EQ(store_->ReadLog("nodes", start, 100)->changes.size(), 20u) << "others keep theirs";
  ASSERT_TRUE(store_->Delete("pods", "a", last));
  EXPECT_TRUE(store_->ReadLog("pods", store_->revision() - 1, 100)->changes.at(0).deleted);
}

TEST_P(StoreTest, ObjectsAreLimited) {
  json::Value large = Object(1);
  large.Set("text", std::string(3 << 20, 'x'));
  EXPECT_TRUE(store_->Put("pods", "a", 0, large).Is(ErrorCode::kTooLarge));
  large.Set("text", std::string((3 << 20) - 200, 'x'));
  EXPECT_TRUE(store_->Put("pods", "a", 0, large));
}

// What is stored can be read back, also as part of a list.
TEST_P(StoreTest, DepthIsLimited) {
  const auto nested = [](int levels) {
    json::Value inner = 1;
    for (int i = 0; i < levels; ++i) inner = json::Value::Array({inner});
    json::Value object = Object(1);
    return object.Set("deep", inner);
  };
  EXPECT_TRUE(store_->Put("pods", "a", 0, nested(510)).Is(ErrorCode::kInvalidArgument));
  ASSERT_TRUE(store_->Put("pods", "a", 0, nested(498)));
  const std::string list = R"({"items":[{"object":)" + *store_->Get("pods", "a")->bytes() + "}]}";
  EXPECT_TRUE(json::Parse(list));
}

TEST_P(StoreTest, WakesSubscribersAfterTheChangeIsVisible) {
  int64_t seen = 0;
  const auto id = store_->Subscribe("pods", [&] { seen = 1; });
  ASSERT_TRUE(store_->Put("nodes", "n", 0, Object(1)));
  EXPECT_EQ(seen, 0);
  ASSERT_TRUE(store_->Put("pods", "a", 0, Object(1)));
  EXPECT_EQ(seen, 1);
  seen = 0;
  store_->Unsubscribe("pods", id);
  ASSERT_TRUE(store_->Put("pods", "b", 0, Object(1)));
  EXPECT_EQ(seen, 0);
}

TEST_P(StoreTest, ManyWritersLoseNothing) {
  constexpr int kThreads = 8, kWrites = 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kWrites; ++i) {
        while (true) {
          const VersionPtr now = store_->GetNewest("pods", "counter");
          const int64_t count = now ? now->value()["n"].AsInt() : 0;
          if (store_->Put("pods", "counter", now ? now->revision() : 0,
                          json::Value::Object({{"n", count + 1}}))) {
            break;
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store_->Get("pods", "counter")->value()["n"].AsInt(), kThreads * kWrites);
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest,
                         testing::Values(Kind{"Memory", false}, Kind{"Sqlite", true}),
                         [](const auto& instance) { return instance.param.name; });

class DurableStoreTest : public StoreTest {};

TEST_P(DurableStoreTest, RestartKeepsObjectsAndRevision) {
  ASSERT_TRUE(store_->Put("pods", "a", 0, Object(7)));
  const VersionPtr b = *store_->Put("pods", "b", 0, Object(8));
  ASSERT_TRUE(store_->Delete("pods", "b", b->revision()));
  const int64_t revision = store_->revision();
  Reopen();
  EXPECT_EQ(store_->revision(), revision);
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(store_->Get("pods", "a")->value()["n"].AsInt(), 7);
  EXPECT_TRUE(store_->ReadLog("pods", revision - 1, 10).Is(ErrorCode::kGone));
  EXPECT_TRUE(store_->ReadLog("never-seen", revision - 1, 10).Is(ErrorCode::kGone));
}

TEST_P(DurableStoreTest, ADamagedFileIsRefusedWithAClearMessage) {
  store_.reset();
  std::ofstream(Path(), std::ios::trunc) << "this is not a database, it only sits in its place";
  const auto journal = OpenSqliteJournal(Path());
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message(), testing::HasSubstr("damaged"));
}

TEST_P(DurableStoreTest, ASecondProcessIsRefused) {
  ASSERT_TRUE(store_->Put("pods", "a", 0, Object(1)));
  const auto second = OpenSqliteJournal(Path());
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), testing::HasSubstr("in use"));
}

TEST_P(DurableStoreTest, ABackupIsAWholeStore) {
  ASSERT_TRUE(store_->Put("pods", "a", 0, Object(3)));
  store_.reset();
  const std::string copy = dir_ / "copy";
  ASSERT_TRUE(BackUpSqlite(Path(), copy));
  auto restored = *Store::Open(*OpenSqliteJournal(copy), {});
  EXPECT_EQ(restored->Get("pods", "a")->value()["n"].AsInt(), 3);
}

TEST_P(DurableStoreTest, OnlyTheOwnerReadsTheDataAndItsBackups) {
  ASSERT_TRUE(store_->Put("secrets", "a", 0, Object(1)));
  const std::string copy = dir_ / "copy";
  std::ofstream(copy).flush();  // A file that everybody may read.
  ASSERT_TRUE(BackUpSqlite(Path(), copy));
  for (const std::string& file : {Path(), Path() + "-wal", copy}) {
    const auto rights = std::filesystem::status(file).permissions();
    EXPECT_EQ(rights, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << file;
  }
}

TEST_P(DurableStoreTest, ABackupDoesNotDisturbWriters) {
  constexpr int kWrites = 200;
  const VersionPtr first = *store_->Put("pods", "first", 0, Object(3));
  std::thread writer([this] {
    for (int i = 0; i < kWrites; ++i) {
      EXPECT_TRUE(store_->Put("pods", "p" + std::to_string(i), 0, Object(i)));
    }
  });
  const std::string copy = dir_ / "copy";
  const base::Status done = BackUpSqlite(Path(), copy);
  writer.join();
  ASSERT_TRUE(done) << done.error().ToString();
  EXPECT_EQ(store_->Count("pods"), kWrites + 1u);
  auto restored = *Store::Open(*OpenSqliteJournal(copy), {});
  // Everything up to one moment and nothing after it.
  const int64_t revision = restored->revision();
  EXPECT_EQ(restored->Count("pods"), static_cast<size_t>(revision - first->revision() + 1));
}

TEST_P(DurableStoreTest, TheLogIsWrittenInPlaceAndEndsWhereItEnds) {
  ASSERT_TRUE(store_->Put("pods", "first", 0, Object(1)));
  const std::string log = Path() + "-wal";
  const auto size = std::filesystem::file_size(log);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(store_->Put("pods", "p" + std::to_string(i), 0, Object(i)));
  }
  EXPECT_EQ(std::filesystem::file_size(log), size) << "a log that grows is slow to sync";
  // What a crash would leave.
  const std::string crashed = dir_ / "crashed";
  std::filesystem::copy_file(Path(), crashed);
  for (const char* beside : {"-wal", "-promise"}) {
    std::filesystem::copy_file(Path() + beside, crashed + beside);
  }
  EXPECT_EQ((*Store::Open(*OpenSqliteJournal(crashed), {}))->Count("pods"), 21u);
}

TEST_P(DurableStoreTest, ADamagedObjectIsFoundAtStart) {
  const std::string mark(4000, 'm');
  ASSERT_TRUE(store_->Put("pods", "a", 0, json::Value::Object({{"mark", mark}})));
  store_.reset();  // Folds the log into the file.
  std::string bytes;
  {
    std::ifstream file(Path(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const size_t at = bytes.find("mmmmmmmm");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 100] = 'n';
  std::ofstream(Path(), std::ios::binary | std::ios::trunc) << bytes;
  const auto damaged = Store::Open(*OpenSqliteJournal(Path()), {});
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message(),
              testing::HasSubstr("damaged: pods a is not what was written"));
}

TEST_P(DurableStoreTest, WhatWasDeletedGivesItsRoomBack) {
  const json::Value large = json::Value::Object({{"text", std::string(20000, 'x')}});
  std::vector<VersionPtr> written;
  for (int i = 0; i < 50; ++i) {
    written.push_back(*store_->Put("pods", "p" + std::to_string(i), 0, large));
  }
  Reopen();
  const auto full = std::filesystem::file_size(Path());
  for (const VersionPtr& each : written) {
    ASSERT_TRUE(store_->Delete("pods", each->name(), each->revision()));
  }
  Reopen();
  EXPECT_LT(std::filesystem::file_size(Path()), full / 4);
  EXPECT_EQ(store_->Count("pods"), 0u);
}

TEST_P(DurableStoreTest, AFullDatabaseLosesNothing) {
  store_.reset();
  store_ = *Store::Open(*OpenSqliteJournal(Path(), {.max_bytes = 256 * 1024}), {});
  const json::Value large = json::Value::Object({{"text", std::string(10000, 'x')}});
  int written = 0;
  base::Result<VersionPtr> last = store_->Put("pods", "p0", 0, large);
  const VersionPtr first = *last;
  while (last && written < 100) {
    last = store_->Put("pods", "p" + std::to_string(++written), 0, large);
  }
  ASSERT_TRUE(last.Is(ErrorCode::kUnavailable)) << "after " << written;
  EXPECT_THAT(last.error().message(), testing::HasSubstr("the disk is full"));
  EXPECT_EQ(store_->Count("pods"), static_cast<size_t>(written));
  // What is deleted makes room again.
  ASSERT_TRUE(store_->Delete("pods", "p0", first->revision()));
  EXPECT_TRUE(store_->Put("pods", "again", 0, large));
  Reopen();
  EXPECT_EQ(store_->Count("pods"), static_cast<size_t>(written));
}

INSTANTIATE_TEST_SUITE_P(Stores, DurableStoreTest, testing::Values(Kind{"Sqlite", true}),
                         [](const auto& instance) { return instance.param.name; });

TEST(Checksums, SeeEveryBit) {
  const std::string text(100, 'a');
  for (size_t size = 0; size < text.size(); ++size) {
    const uint64_t sum = Checksum(std::string_view(text).substr(0, size));
    EXPECT_NE(sum, Checksum(std::string_view(text).substr(0, size + 1))) << size;
    for (size_t i = 0; i < size; ++i) {
      std::string other = text.substr(0, size);
      other[i] ^= 1;
      EXPECT_NE(sum, Checksum(other)) << size << " " << i;
    }
  }
}

// A journal whose disk is full from some moment on.
class FailingJournal : public Journal {
 public:
  explicit FailingJournal(bool* full) : full_(full) {}
  base::Result<int64_t> Load(const Visit&) override { return int64_t{1}; }
  base::Status Commit(std::span<const JournalEntry>) override {
    if (*full_) return base::Unavailable("the disk is full");
    return {};
  }

 private:
  bool* full_;
};

TEST(StoreFailure, AWriteThatIsNotDurableNeverShows) {
  bool full = false;
  auto store = *Store::Open(std::make_unique<FailingJournal>(&full), {});
  const VersionPtr a = *store->Put("pods", "a", 0, Object(1));
  full = true;
  EXPECT_TRUE(store->Put("pods", "a", a->revision(), Object(2)).Is(ErrorCode::kUnavailable));
  EXPECT_TRUE(store->Put("pods", "b", 0, Object(2)).Is(ErrorCode::kUnavailable));
  EXPECT_EQ(store->Get("pods", "a"), a);
  EXPECT_EQ(store->GetNewest("pods", "a"), a);
  EXPECT_EQ(store->Get("pods", "b"), nullptr);
  full = false;
  EXPECT_TRUE(store->Put("pods", "a", a->revision(), Object(3)));
}

// A journal that does something while the first write is on its way.
class BusyJournal : public Journal {
 public:
  std::function<void()> meanwhile = [] {};

  base::Result<int64_t> Load(const Visit&) override { return int64_t{1}; }
  base::Status Commit(std::span<const JournalEntry> entries) override {
    largest = std::max(largest, entries.size());
    std::exchange(meanwhile, [] {})();
    return {};
  }

  size_t largest = 0;
};

// What gathers meanwhile is committed at once; only some of it has somebody to wake.
TEST(StoreBatch, WakesThoseWhoFollowWhatIsInIt) {
  auto owned = std::make_unique<BusyJournal>();
  BusyJournal& journal = *owned;
  auto store = *Store::Open(std::move(owned), {});
  int woken = 0;
  store->Subscribe("pods", [&] { ++woken; });
  std::vector<std::thread> writers;
  const auto queue = [&](const std::string& resource) {
    writers.emplace_back([&, resource] { EXPECT_TRUE(store->Put(resource, "a", 0, Object(1))); });
    while (!store->GetNewest(resource, "a")) std::this_thread::yield();
  };
  journal.meanwhile = [&] {
    for (const char* resource : {"nodes", "pods", "services"}) queue(resource);
  };
  ASSERT_TRUE(store->Put("secrets", "a", 0, Object(1)));
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(journal.largest, 3u);
  EXPECT_EQ(woken, 1);
}

}  // namespace
}  // namespace coppice::store
