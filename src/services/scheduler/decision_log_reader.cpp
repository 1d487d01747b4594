#include "services/scheduler/decision_log_reader.h"

#include <fmt/format.h>

#include <cstring>

#include "engine/inputs/recorder.h"
#include "engine/replay_input.h"
#include "services/scheduler/decision_log_format.h"
#include "services/scheduler/snapshot.h"

namespace coppice::services::scheduler {
namespace {

uint32_t NumberAt(std::string_view bytes, size_t offset) {
  uint32_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof(number));
  return number;
}

void TakeMore(const log_format::MoreSettings& more, engine::Configuration& to) {
  to.surplus_delay = base::Duration(more.surplus_delay);
  to.seed = more.seed;
  to.dra_available = more.dra_available;
  to.assumed_gpu_memory = more.assumed_gpu_memory;
  to.reservation_app_label = more.reservation_app_label;
  to.cpu_worker_label = more.cpu_worker_label;
  to.gpu_worker_label = more.gpu_worker_label;
  to.mig_worker_label = more.mig_worker_label;
}

base::Error DamageError(const std::optional<LogDamage>& damage, std::string_view needed) {
  if (!damage) return base::InvalidArgument(fmt::format("it ends before {}", needed));
  return base::InvalidArgument(
      fmt::format("damaged at byte {}, before {}: {}", damage->offset, needed, damage->what));
}

}  // namespace

void LogReader::Damaged(size_t offset, std::string what) {
  damage_ = LogDamage{offset, std::move(what)};
  at_ = bytes_.size();
}

std::optional<LogReader::Frame> LogReader::NextFrame() {
  if (at_ == bytes_.size()) return std::nullopt;
  const size_t start = at_, left = bytes_.size() - at_;
  const auto damaged = [&](std::string what) -> std::optional<Frame> {
    Damaged(start, std::move(what));
    return std::nullopt;
  };
  if (left < log_format::kFrameHead) return damaged("the last record is cut off");
  const uint32_t length = NumberAt(bytes_, at_), sum = NumberAt(bytes_, at_ + 4);
  if (length == 0 || length > log_format::kLongestFrame) {
    return damaged(fmt::format("a record cannot be {} bytes long", length));
  }
  if (length > left - log_format::kFrameHead) {
    return damaged(fmt::format("the last record is cut off: {} of {} bytes",
                               left - log_format::kFrameHead, length));
  }
  const std::string_view body = bytes_.substr(at_ + log_format::kFrameHead, length);
  const Frame frame{body[0], body.substr(1)};
  if (log_format::Checksum(frame.kind, frame.payload) != sum) {
    return damaged("the record's checksum is wrong");
  }
  at_ += log_format::kFrameHead + length;
  return frame;
}

base::Result<LogReader> LogReader::Open(std::string_view bytes, const Change& change) {
  if (!bytes.starts_with(log_format::kHeader)) {
    return base::InvalidArgument(
        "not a decision log of this version: it does not start with its header");
  }
  LogReader log(bytes);
  log.at_ = log_format::kHeader.size();
  const auto settings = log.NextFrame();
  if (!settings || settings->kind != log_format::kSettings) {
    return DamageError(log.damage_, "the scheduler's settings");
  }
  COPPICE_ASSIGN(Snapshot snapshot, ReadSnapshot(settings->payload));
  log.reader_ = std::make_unique<engine::ArchiveReader>();
  const auto state = log.NextFrame();
  if (!state || state->kind != log_format::kState) {
    return DamageError(log.damage_, "the cluster's state");
  }
  log.reader_->Use(state->payload);
  TakeMore(log.reader_->Read<log_format::MoreSettings>(), snapshot.options.configuration);
  if (change) COPPICE_TRY(change(snapshot.options));
  log.engine_ = std::make_unique<engine::Engine>(snapshot.options.configuration);
  const base::Status told = ReplayInput(*log.reader_, *log.engine_);
  if (!told) return told.error().During("the cluster's state");
  return log;
}

std::optional<LogReader::Step> LogReader::Next() {
  const size_t start = at_;
  const auto frame = NextFrame();
  if (!frame) return std::nullopt;
  const auto damaged = [&](std::string what) -> std::optional<Step> {
    Damaged(start, std::move(what));
    return std::nullopt;
  };
  if (frame->kind != log_format::kCycle) return damaged("a record is of an unknown kind");
  reader_->Use(frame->payload);
  const auto input = reader_->Read<std::string>();
  const std::string_view rest = reader_->rest();
  reader_->Use(input);
  if (const base::Status told = ReplayInput(*reader_, *engine_); !told) {
    return damaged(told.error().message());
  }
  reader_->Use(rest);
  Step step{.number = ++number_};
  step.recorded = reader_->Read<engine::RecordedCycle>();
  if (!reader_->ok()) return damaged("a record ends too early");
  step.replayed = describer_.Describe(step.recorded.now, engine_->RunCycle(step.recorded.now));
  step.difference = DifferenceOf(step.recorded, step.replayed);
  return step;
}

}  // namespace coppice::services::scheduler
