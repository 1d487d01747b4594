#include "server/front/audit_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/files.h"
#include "json/parse.h"

namespace coppice::server {
namespace {

class AuditLogTest : public ::testing::Test {
 protected:
  AuditLogTest()
      : path_(std::filesystem::temp_directory_path() /
              ("coppice-audit-" + std::to_string(getpid()))) {
    std::filesystem::remove(path_);
  }
  ~AuditLogTest() override { std::filesystem::remove(path_); }

  void Write(AuditLog& log, const std::string& path) {
    RequestInfo info;
    info.verb = "get";
    info.path = path;
    log.Write({}, User{.name = "alice"}, info, 200, Remarks());
  }
  // The paths of the lines that are whole.
  std::vector<std::string> Paths() {
    std::vector<std::string> paths;
    std::istringstream text(*base::ReadFile(path_));
    for (std::string line; std::getline(text, line);) {
      if (const auto parsed = json::Parse(line)) paths.push_back((*parsed)["path"].ToString());
    }
    return paths;
  }

  const std::string path_;
};

TEST_F(AuditLogTest, IsItsOwnersAndIsAddedTo) {
  for (const char* path : {"/a", "/b"}) Write(**AuditLog::Open(path_), path);
  EXPECT_EQ(Paths(), (std::vector<std::string>{"/a", "/b"}));
  struct stat file{};
  ASSERT_EQ(stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  EXPECT_FALSE(AuditLog::Open("/no/such/folder/log"));
}

// A limit on the size of files is a disk that fills up, and is emptied.
TEST_F(AuditLogTest, GoesOnAfterAFullDisk) {
  const auto log = *AuditLog::Open(path_);
  Write(*log, "/before");
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &usual), 0);
  const auto was = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full{std::filesystem::file_size(path_) + 10, usual.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  Write(*log, "/lost");
  Write(*log, "/lost-too");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &usual), 0);
  std::signal(SIGXFSZ, was);
  Write(*log, "/after");
  EXPECT_EQ(Paths(), (std::vector<std::string>{"/before", "/after"}));
}

}  // namespace
}  // namespace coppice::server
