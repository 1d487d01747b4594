#pragma once

#include <string>
#include <string_view>

namespace coppice::cli {

// A line on standard error that says how far long work is. Shown on a terminal only, and erased at
// the end. Not thread-safe.
class Progress {
 public:
  explicit Progress(std::string_view what) : what_(what) {}
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // "explaining 3 of 120 …".
  void Show(size_t done, size_t total);
  // Any other text.
  void Show(std::string_view text);
  void Clear();

 private:
  const std::string what_;
  bool shown_ = false;
};

}  // namespace coppice::cli
