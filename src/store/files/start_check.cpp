#include "store/files/start_check.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/log.h"
#include "store/files/damage.h"
#include "store/files/file_header.h"
#include "store/files/log_check.h"

namespace coppice::store {
namespace {

// SQLite restores the file from this one; it exists only while the database is created.
bool IsBeingCreated(const std::string& path) { return std::filesystem::exists(path + "-journal"); }

// A promise of nothing is that of a database that is being created.
bool Promises(const std::optional<Promise>& promise) { return promise && promise->revision > 0; }

base::Status CheckPromise(const std::string& path, const FileHeader& header,
                          const std::optional<Promise>& promise) {
  if (header.identity == 0 && Promises(promise)) {
    return Damaged(path, "it is a backup or of an older version, and " + PromisePath(path) +
                             " speaks of another database that was here");
  }
  if (header.identity == 0) return {};
  if (!promise) {
    return Damaged(PromisePath(path),
                   "it is missing, so that nobody knows whether the newest objects are there");
  }
  if (promise->identity == header.identity) return {};
  return Damaged(path, "it is not the database that " + PromisePath(path) + " speaks of");
}

// Whether the log continues the file as it is.
base::Status CheckBelongs(const std::string& path, const FileHeader& header, const LogReport& log) {
  if (log.committed == 0 || (header.identity == 0 && !log.last)) return {};
  if (header.identity == 0 && log.last->identity == 0) return {};
  if (!log.first || log.first->identity != header.identity) {
    return Damaged(LogPath(path), "it is the log of another database");
  }
  if (header.mark + 1 < log.first->mark) {
    return Damaged(path, "it is older than its log, " + LogPath(path));
  }
  if (header.mark <= log.last->mark) return {};
  return Damaged(LogPath(path), "it is older than " + path);
}

void MoveAside(const std::string& file) {
  std::error_code error;
  std::filesystem::rename(file, file + ".refused", error);
  if (!error) base::LogWarn("file moved aside", {{"from", file}, {"to", file + ".refused"}});
}

class FileCheck {
 public:
  FileCheck(const std::string& path, bool accept_loss) : path_(path), accept_loss_(accept_loss) {}

  base::Result<FoundFiles> Run() {
    FoundFiles found;
    COPPICE_ASSIGN(found.promise, ReadPromise());
    COPPICE_ASSIGN(LogReport log, CheckLog(LogPath(path_)));
    if (!log.damage.empty()) COPPICE_TRY(DamagedLog(log));
    if (!IsBeingCreated(path_)) COPPICE_TRY(CheckTogether(found, log));
    found.log_bytes = log.committed_bytes;
    return found;
  }

 private:
  base::Result<std::optional<Promise>> ReadPromise() {
    base::Result<std::optional<Promise>> promise = PromiseFile::Read(PromisePath(path_));
    if (promise || !accept_loss_) return promise;
    Warn(promise.error());
    return std::optional<Promise>();
  }

  // Of a log whose head is readable SQLite takes what comes before the damage.
  base::Status DamagedLog(const LogReport& log) {
    const base::Error error = Damaged(LogPath(path_), log.damage);
    if (!accept_loss_) return error;
    Warn(error);
    return {};
  }

  base::Status CheckTogether(FoundFiles& found, LogReport& log) {
    COPPICE_ASSIGN(const std::optional<FileHeader> header, ReadFileHeader(path_));
    if (!header) return CheckMissing(found, log);
    COPPICE_TRY(
        Accept(CheckPromise(path_, *header, found.promise), [&] { found.promise.reset(); }));
    return Accept(CheckBelongs(path_, *header, log), [&] { DropLog(log); });
  }

  base::Status CheckMissing(FoundFiles& found, LogReport& log) {
    base::Status missing;
    if (Promises(found.promise) || log.committed > 0) {
      const std::string& witness = log.committed > 0 ? LogPath(path_) : PromisePath(path_);
      missing = Damaged(path_, "it is missing or empty, and " + witness + " is there");
    }
    return Accept(missing, [&] {
      found.promise.reset();
      DropLog(log);
    });
  }

  void DropLog(LogReport& log) {
    MoveAside(LogPath(path_));
    log = {};
  }

  template <typename Drop>
  base::Status Accept(const base::Status& checked, const Drop& drop) {
    if (checked || !accept_loss_) return checked;
    Warn(checked.error());
    drop();
    return {};
  }

  static void Warn(const base::Error& error) {
    base::LogWarn("starting with accepted data loss", {{"error", error.message()}});
  }

  const std::string path_;
  const bool accept_loss_;
};

}  // namespace

base::Result<FoundFiles> CheckFiles(const std::string& path, bool accept_loss) {
  return FileCheck(path, accept_loss).Run();
}

}  // namespace coppice::store
