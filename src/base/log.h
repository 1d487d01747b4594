#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"

namespace coppice::base {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

// One key=value of a log line. Values are written as text; never pass a secret.
struct Field {
  template <typename T>
  Field(std::string_view k, const T& v) : key(k), value(fmt::format("{}", v)) {}
  std::string_view key;
  std::string value;
};

// Structured logging to standard error. Thread-safe.
//
//   base::LogInfo("bound pod", {{"pod", name}, {"node", node}});
void Log(LogLevel level, std::string_view message, std::initializer_list<Field> fields = {});
inline void LogDebug(std::string_view m, std::initializer_list<Field> f = {}) {
  Log(LogLevel::kDebug, m, f);
}
inline void LogInfo(std::string_view m, std::initializer_list<Field> f = {}) {
  Log(LogLevel::kInfo, m, f);
}
inline void LogWarn(std::string_view m, std::initializer_list<Field> f = {}) {
  Log(LogLevel::kWarn, m, f);
}
inline void LogError(std::string_view m, std::initializer_list<Field> f = {}) {
  Log(LogLevel::kError, m, f);
}

// Can be changed at run time. Starts at kInfo.
void SetLogLevel(LogLevel level);
LogLevel GetLogLevel();
Result<LogLevel> ParseLogLevel(std::string_view text);
// Lines as JSON objects instead of text.
void SetLogJson(bool json);

}  // namespace coppice::base
