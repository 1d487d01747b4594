#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/check.h"
#include "store/files/big_endian.h"
#include "store/store_image_testing.h"

// Files that are not as they were left: either everything that was acknowledged is there, or the
// start is refused with the name of the file and the way out.
namespace coppice::store {
namespace {

using testing::HasSubstr;

constexpr size_t kPage = 8192, kLogHead = 32, kFrameHead = 24, kFrame = kFrameHead + kPage;

void Flip(std::string& bytes, size_t at, int bit) {
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
}

std::string Text(const base::Status& status) {
  return status ? std::string() : status.error().ToString();
}

// A database with a past: logs that were folded in, and the one of a process that is killed.
struct Past {
  Past() {
    StoreFolder folder;
    Begin(folder);
    folder.Work(120);
    Begin(folder);
    folder.Work(90);
    earlier = folder.Take();
    earlier_acknowledged = folder.acknowledged();
    folder.Stop();
    closed = folder.Take();
    Begin(folder);
    folder.Work(30);
    before_last = folder.Take();
    before_last_acknowledged = folder.acknowledged();
    folder.Work(1);
    killed = folder.Take();
    acknowledged = folder.acknowledged();
  }

  static void Begin(StoreFolder& folder) {
    const base::Status started = folder.Start();
    COPPICE_CHECK(started.ok());
  }

  Image earlier, closed, before_last, killed;
  Acknowledged earlier_acknowledged, before_last_acknowledged, acknowledged;
};

class StoreDamageTest : public testing::Test, protected Past {
 protected:
  StoreDamageTest() : Past(Made()) {}

  // Once for all tests.
  static const Past& Made() {
    static const Past past;
    return past;
  }

  // True when the start is refused. The acknowledged objects are there otherwise, stay there while
  // others are written, and are there at the next start.
  bool IsRefused(const Image& image, const std::string& what) {
    folder_.Put(image);
    folder_.SetAcknowledged(acknowledged);
    const base::Status started = folder_.Start();
    if (!started) {
      EXPECT_THAT(started.error().message(), HasSubstr("/coppice.db")) << what;
      EXPECT_THAT(started.error().message(), HasSubstr("restore a backup")) << what;
      EXPECT_THAT(started.error().message(), HasSubstr("--accept-data-loss")) << what;
      return true;
    }
    EXPECT_EQ(folder_.Missing(), "") << what;
    folder_.Work(5);
    const base::Status again = folder_.Start();
    EXPECT_TRUE(again) << what << ": " << Text(again);
    EXPECT_EQ(again ? folder_.Missing() : "", "") << what << ", at the next start";
    return false;
  }

  // Flips `flips` bits of one file, each in a copy, between two offsets. Says how many were
  // refused.
  int FlipSome(const Image& image, const std::string& file, size_t from, size_t to, int flips) {
    int refused = 0;
    for (int i = 0; i < flips; ++i) {
      const size_t at = std::uniform_int_distribution<size_t>(from, to - 1)(random_);
      const int bit = std::uniform_int_distribution<int>(0, 7)(random_);
      Image flipped = image;
      Flip(flipped[file], at, bit);
      refused += IsRefused(flipped,
                           file + " bit " + std::to_string(bit) + " of byte " + std::to_string(at));
    }
    return refused;
  }

  static uint32_t Number(const Image& image, size_t at) {
    return BigEndian32(image.at("-wal").data() + at);
  }
  static size_t FrameAt(size_t frame) { return kLogHead + frame * kFrame; }
  // Frames of the log that the killed process was writing.
  static size_t FramesOf(const Image& image) {
    size_t frames = 0;
    while (FrameAt(frames + 1) <= image.at("-wal").size() &&
           image.at("-wal").compare(FrameAt(frames) + 8, 8, image.at("-wal"), 16, 8) == 0) {
      ++frames;
    }
    return frames;
  }

  std::mt19937_64 random_{17};
  StoreFolder folder_;
};

TEST_F(StoreDamageTest, NothingIsWrongWithWhatAKilledProcessLeaves) {
  EXPECT_FALSE(IsRefused(killed, "killed"));
  acknowledged = earlier_acknowledged;
  EXPECT_FALSE(IsRefused(earlier, "killed earlier"));
  EXPECT_FALSE(IsRefused(closed, "closed"));
}

TEST_F(StoreDamageTest, FlippedBitsOfTheLog) {
  const size_t frames = FramesOf(killed);
  ASSERT_GT(frames, 20u);
  ASSERT_GT(killed["-wal"].size(), FrameAt(frames + 10)) << "there is room behind the log's end";
  EXPECT_EQ(FlipSome(killed, "-wal", 0, kLogHead, 60), 60) << "its head";
  for (size_t frame = 0; frame < frames; ++frame) {
    const size_t at = FrameAt(frame), page = at + kFrameHead;
    EXPECT_EQ(FlipSome(killed, "-wal", at, page, 2), 2) << "the head of frame " << frame;
    EXPECT_EQ(FlipSome(killed, "-wal", page, page + kPage, 2), 2) << "frame " << frame;
  }
  EXPECT_EQ(FlipSome(killed, "-wal", FrameAt(frames), killed["-wal"].size(), 30), 0)
      << "nothing was written there";
}

// A power cut takes the newest promises with it.
TEST_F(StoreDamageTest, FlippedBitsBeforeTheLastTransactionAreFoundWithoutAPromise) {
  killed["-promise"] = closed["-promise"];
  const size_t last = FramesOf(before_last);
  EXPECT_EQ(FlipSome(killed, "-wal", kLogHead, FrameAt(last - 3), 100), 100);
}

TEST_F(StoreDamageTest, FlippedBitsOfTheDatabase) {
  const size_t size = closed[""].size();
  acknowledged = earlier_acknowledged;
  for (size_t at = 0; at < 100; ++at) FlipSome(closed, "", at, at + 1, 2);
  int found = 0;
  for (size_t page = 0; page < size; page += kPage) {
    found += FlipSome(closed, "", page, page + kPage, 4);
  }
  EXPECT_GT(found, 15) << "of bits, many of which are in nobody's use";
}

// A flipped bit of an object is always found: its row says what was written.
TEST_F(StoreDamageTest, FlippedBitsOfObjects) {
  acknowledged = earlier_acknowledged;
  size_t at = 0, seen = 0;
  while ((at = closed[""].find("xxxxxxxx", at)) != std::string::npos) {
    Image flipped = closed;
    Flip(flipped[""], at, static_cast<int>(at % 8));
    const bool used = IsRefused(flipped, "object at " + std::to_string(at));
    seen += used ? 1 : 0;
    at = closed[""].find("\"", at);
    if (at == std::string::npos) break;
  }
  EXPECT_GE(seen, earlier_acknowledged.objects.size());
}

TEST_F(StoreDamageTest, FlippedBitsOfThePromise) {
  for (size_t at = 0; at < killed["-promise"].size(); ++at) {
    EXPECT_EQ(FlipSome(killed, "-promise", at, at + 1, 2), 2);
  }
}

TEST_F(StoreDamageTest, TruncatedFiles) {
  const size_t frames = FramesOf(killed);
  const auto cut = [&](const std::string& file, size_t size) {
    Image image = killed;
    image[file].resize(size);
    return IsRefused(image, file + " cut to " + std::to_string(size));
  };
  for (const size_t size : {size_t{0}, size_t{1}, size_t{20}, kLogHead, kLogHead + 10, FrameAt(1),
                            FrameAt(1) + 30, FrameAt(frames / 2), FrameAt(frames) - 1}) {
    EXPECT_TRUE(cut("-wal", size)) << size;
  }
  EXPECT_FALSE(cut("-wal", FrameAt(frames))) << "only the room behind the end";
  EXPECT_FALSE(cut("-wal", FrameAt(frames) + 100));
  for (const size_t size : {size_t{0}, size_t{1}, size_t{50}, size_t{100}, kPage / 2}) {
    EXPECT_TRUE(cut("", size)) << size;
    EXPECT_TRUE(cut("-promise", size % 40)) << size;
  }
  cut("", kPage), cut("", 3 * kPage);  // The log may have all that is missing.
}

TEST_F(StoreDamageTest, MissingFiles) {
  for (const char* file : {"", "-wal", "-promise"}) {
    Image image = killed;
    image.erase(file);
    EXPECT_TRUE(IsRefused(image, std::string("without coppice.db") + file));
  }
  for (const char* only : {"-wal", "-promise", ""}) {
    EXPECT_TRUE(IsRefused({{only, killed[only]}}, std::string("only coppice.db") + only));
  }
  acknowledged = earlier_acknowledged;
  Image image = closed;
  image.erase("-wal");
  EXPECT_FALSE(IsRefused(image, "everything was folded in")) << "its log is empty";
}

TEST_F(StoreDamageTest, FilesOfOthers) {
  StoreFolder other;
  ASSERT_TRUE(other.Start());
  other.Work(40);
  other.Stop();
  ASSERT_TRUE(other.Start());
  other.Work(40);
  const Image others = other.Take();
  for (const char* file : {"", "-wal", "-promise"}) {
    Image image = killed;
    image[file] = others.at(file);
    EXPECT_TRUE(IsRefused(image, std::string("another's coppice.db") + file));
    for (const Image& from : {closed, earlier}) {
      image[file] = from.at(file);
      IsRefused(image, std::string("an older coppice.db") + file);
    }
  }
}

TEST_F(StoreDamageTest, AnOlderDatabaseWithANewerLog) {
  Image image = killed;
  image[""] = earlier[""];  // Of before the log's predecessor was folded in.
  EXPECT_TRUE(IsRefused(image, "older database"));
  image = earlier;
  image[""] = killed[""];
  image["-promise"] = killed["-promise"];
  EXPECT_TRUE(IsRefused(image, "older log"));
}

TEST_F(StoreDamageTest, TheSharedIndexIsMadeAnew) {
  Image image = killed;
  for (const size_t size : {size_t{0}, size_t{100}, size_t{32768}}) {
    std::string garbage(size, '\0');
    for (char& byte : garbage) byte = static_cast<char>(random_());
    image["-shm"] = garbage;
    EXPECT_FALSE(IsRefused(image, "shm of " + std::to_string(size)));
  }
}

// A crash in the middle of the last transaction leaves any part of it on the disk, in sectors.
TEST_F(StoreDamageTest, ATornEndIsDropped) {
  const size_t from = FramesOf(before_last), to = FramesOf(killed);
  ASSERT_GT(to, from + 1);
  acknowledged = before_last_acknowledged;
  for (int i = 0; i < 200; ++i) {
    Image torn = killed;
    torn["-promise"] = before_last["-promise"];
    for (size_t at = FrameAt(from) / 512 * 512; at < FrameAt(to); at += 512) {
      if (random_() % (1 + static_cast<size_t>(i) % 8) != 0) continue;
      const size_t begin = std::max(at, FrameAt(from));
      torn["-wal"].replace(begin, at + 512 - begin, before_last["-wal"], begin, at + 512 - begin);
    }
    folder_.Put(torn);
    const base::Status started = folder_.Start();
    ASSERT_TRUE(started) << i << ": " << Text(started);
    ASSERT_GE(folder_.store().revision(), before_last_acknowledged.revision) << i;
  }
}

// What an undone end leaves behind is no reason to refuse what was written over it.
TEST_F(StoreDamageTest, ATornEndUnderLaterOnesIsDropped) {
  const size_t from = FramesOf(before_last);
  acknowledged = before_last_acknowledged;
  Image torn = killed;
  torn["-promise"] = before_last["-promise"];
  Flip(torn["-wal"], FrameAt(from) + 100, 3);
  EXPECT_FALSE(IsRefused(torn, "torn once"));
}

TEST_F(StoreDamageTest, TheFlagGoesOnWithWhatCanBeRead) {
  const auto accepted = [&](const Image& image, const std::string& what) {
    EXPECT_TRUE(IsRefused(image, what));
    const base::Status started = folder_.Start(true);
    ASSERT_TRUE(started) << what << ": " << Text(started);
    folder_.SetAcknowledged({});
    folder_.Work(5);
    const base::Status again = folder_.Start();
    EXPECT_TRUE(again) << what << ": " << Text(again);
  };
  Image image = killed;
  Flip(image["-wal"], FrameAt(FramesOf(killed) / 2) + 200, 1);
  accepted(image, "a damaged log");
  EXPECT_GT(folder_.store().Count("pods"), 10u);
  EXPECT_GE(folder_.store().revision(), acknowledged.revision) << "no revision is used twice";
  for (const char* file : {"", "-wal", "-promise"}) {
    image = killed;
    image.erase(file);
    accepted(image, std::string("without coppice.db") + file);
  }
  image = closed;
  acknowledged = earlier_acknowledged;
  const size_t at = image[""].rfind("xxxxxxxx");
  Flip(image[""], at, 1);
  accepted(image, "a damaged object");
}

}  // namespace
}  // namespace coppice::store
