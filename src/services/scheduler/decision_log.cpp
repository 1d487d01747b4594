#include "services/scheduler/decision_log.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "services/scheduler/decision_log_format.h"
#include "services/scheduler/snapshot.h"

namespace coppice::services::scheduler {
namespace log_format {

uint32_t Checksum(char kind, std::string_view payload) {
  uLong sum = crc32(0, reinterpret_cast<const Bytef*>(&kind), 1);
  sum =
      crc32(sum, reinterpret_cast<const Bytef*>(payload.data()), static_cast<uInt>(payload.size()));
  return static_cast<uint32_t>(sum);
}

}  // namespace log_format
namespace {

constexpr uint64_t kMebibyte = 1 << 20;

base::Error FileError(const std::string& path) {
  return base::Unavailable(fmt::format("decision log {}: {}", path, std::strerror(errno)));
}

log_format::MoreSettings MoreOf(const engine::Configuration& from) {
  return {from.surplus_delay.count(), from.seed,
          from.dra_available,         from.assumed_gpu_memory,
          from.reservation_app_label, from.cpu_worker_label,
          from.gpu_worker_label,      from.mig_worker_label};
}

std::string SettingsOf(const Options& options) {
  Snapshot snapshot;
  snapshot.options = options;
  snapshot.objects = json::Value::Object();
  return WriteSnapshot(snapshot);
}

}  // namespace

DecisionLog::DecisionLog(const Options& options, engine::Engine& engine)
    : path_(options.decision_log),
      limit_(static_cast<uint64_t>(options.decision_log_mib) * kMebibyte),
      settings_(SettingsOf(options)),
      engine_(engine) {}

DecisionLog::~DecisionLog() {
  engine_.SetRecorder(nullptr);
  if (file_ != nullptr) std::fclose(file_);
}

base::Result<std::unique_ptr<DecisionLog>> DecisionLog::Open(const Options& options,
                                                             engine::Engine& engine) {
  if (options.decision_log_mib < 1) {
    return base::InvalidArgument(
        fmt::format("--decision-log-mib: {} is not a positive number", options.decision_log_mib));
  }
  std::unique_ptr<DecisionLog> log(new DecisionLog(options, engine));
  // What an earlier process has written is worth keeping.
  std::rename(log->path_.c_str(), (log->path_ + ".1").c_str());
  COPPICE_TRY(log->Begin());
  return log;
}

// A new recorder, because a file must not refer to the contents of another.
base::Status DecisionLog::Begin() {
  file_ = std::fopen(path_.c_str(), "wb");
  if (file_ == nullptr) return FileError(path_);
  written_ = 0;
  if (std::fwrite(log_format::kHeader.data(), 1, log_format::kHeader.size(), file_) !=
      log_format::kHeader.size()) {
    return FileError(path_);
  }
  recorder_ = std::make_unique<engine::Recorder>();
  describer_ = {};
  recorder_->writer().Write(MoreOf(engine_.configuration()));
  engine_.RecordAll(*recorder_);
  engine_.SetRecorder(recorder_.get());
  COPPICE_TRY(Append(log_format::kSettings, settings_));
  return Append(log_format::kState, recorder_->Take());
}

base::Status DecisionLog::Append(char kind, std::string_view payload) {
  const uint32_t head[] = {static_cast<uint32_t>(payload.size() + 1),
                           log_format::Checksum(kind, payload)};
  const bool ok = std::fwrite(head, 1, sizeof(head), file_) == sizeof(head) &&
                  std::fputc(kind, file_) != EOF &&
                  std::fwrite(payload.data(), 1, payload.size(), file_) == payload.size() &&
                  std::fflush(file_) == 0;
  if (!ok) return FileError(path_);
  written_ += sizeof(head) + 1 + payload.size();
  return {};
}

void DecisionLog::Cycle(base::Time now, const engine::CycleResult& result) {
  if (file_ == nullptr) return;
  const std::string input = recorder_->Take();
  engine::ArchiveWriter& writer = recorder_->writer();
  writer.Write(input);
  writer.Write(describer_.Describe(now, result));
  base::Status done = Append(log_format::kCycle, recorder_->Take());
  if (done && written_ > limit_ / 2) done = Rotate();
  if (!done) GiveUp(done.error());
}

base::Status DecisionLog::Rotate() {
  std::fclose(std::exchange(file_, nullptr));
  if (std::rename(path_.c_str(), (path_ + ".1").c_str()) != 0) return FileError(path_);
  COPPICE_TRY(Begin());
  if (written_ <= limit_ / 2) return {};
  return base::Unavailable(
      fmt::format("decision log {}: the cluster's state alone takes {} MiB; set "
                  "--decision-log-mib to at least {}",
                  path_, written_ / kMebibyte + 1, 4 * (written_ / kMebibyte + 1)));
}

void DecisionLog::GiveUp(const base::Error& error) {
  base::LogError("no more decisions are recorded", {{"error", error.message()}});
  engine_.SetRecorder(nullptr);
  if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
}

}  // namespace coppice::services::scheduler
