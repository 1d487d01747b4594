#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>

#include "base/quote.h"

namespace coppice::base {
namespace {

std::atomic<LogLevel> level_now{LogLevel::kInfo};
std::atomic<bool> json_now{false};

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>(
        "coppice", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("%v");
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::warn);
    return made;
  }();
  return *logger;
}

std::string_view Name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "info";
}

bool NeedsQuotes(std::string_view text) {
  return text.empty() || text.find_first_of(" \"=\n\t\\") != std::string_view::npos;
}

std::string TimeNow() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  const auto millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     millis);
}

std::string JsonLine(LogLevel level, std::string_view message,
                     std::initializer_list<Field> fields) {
  std::string line =
      fmt::format(R"({{"time":"{}","level":"{}","message":)", TimeNow(), Name(level));
  AppendQuoted(message, line);
  for (const Field& field : fields) {
    line += ',';
    AppendQuoted(field.key, line);
    line += ':';
    AppendQuoted(field.value, line);
  }
  line += '}';
  return line;
}

std::string TextLine(LogLevel level, std::string_view message,
                     std::initializer_list<Field> fields) {
  std::string line = fmt::format("{} {:<5} {}", TimeNow(), Name(level), message);
  for (const Field& field : fields) {
    line.append(" ").append(field.key).append("=");
    if (NeedsQuotes(field.value)) {
      AppendQuoted(field.value, line);
    } else {
      line += field.value;
    }
  }
  return line;
}

}  // namespace

void Log(LogLevel level, std::string_view message, std::initializer_list<Field> fields) {
  if (level < level_now.load(std::memory_order_relaxed)) return;
  const std::string line = json_now.load(std::memory_order_relaxed)
                               ? JsonLine(level, message, fields)
                               : TextLine(level, message, fields);
  const auto spd = level == LogLevel::kError  ? spdlog::level::err
                   : level == LogLevel::kWarn ? spdlog::level::warn
                                              : spdlog::level::info;
  Logger().log(spd, spdlog::string_view_t(line));
}

void SetLogLevel(LogLevel level) { level_now = level; }
LogLevel GetLogLevel() { return level_now; }
void SetLogJson(bool json) { json_now = json; }

Result<LogLevel> ParseLogLevel(std::string_view text) {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError}) {
    if (Name(level) == text) return level;
  }
  return InvalidArgument(
      fmt::format("unknown log level \"{}\"; use debug, info, warn or error", text));
}

}  // namespace coppice::base
