#include "cli/text/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace coppice::cli {
namespace {

constexpr size_t kUsualWidth = 80;
constexpr size_t kNarrowest = 20;  // A terminal without a size says 0.

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

size_t WidthOfTerminal() {
  if (const char* columns = std::getenv("COLUMNS")) {
    const size_t width = std::strtoul(columns, nullptr, 10);
    if (width >= kNarrowest) return width;
  }
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kNarrowest;
  return known ? size.ws_col : kUsualWidth;
}

std::string_view CodeOf(Colour colour) {
  switch (colour) {
    case Colour::kNone:
      return "";
    case Colour::kGood:
      return "\x1b[32m";
    case Colour::kBusy:
      return "\x1b[33m";
    case Colour::kBad:
      return "\x1b[31m";
    case Colour::kFaint:
      return "\x1b[2m";
    case Colour::kStrong:
      return "\x1b[1m";
  }
  return "";
}

constexpr std::string_view kReset = "\x1b[0m";

// The length in bytes of the code point or colour that the text starts with, and whether it takes a
// column.
struct Piece {
  size_t bytes = 1;
  bool visible = true;
};

Piece FirstPiece(std::string_view text) {
  if (text.starts_with("\x1b[")) {
    const size_t end = text.find('m');
    return {end == text.npos ? text.size() : end + 1, false};
  }
  Piece piece;
  while (piece.bytes < text.size() &&
         (static_cast<unsigned char>(text[piece.bytes]) & 0xc0) == 0x80) {
    ++piece.bytes;
  }
  return piece;
}

}  // namespace

Terminal StandardOutput() {
  Terminal out;
  out.is_terminal = isatty(STDOUT_FILENO) == 1;
  if (!out.is_terminal) return out;
  const char* term = std::getenv("TERM");
  out.colour = !IsSet("NO_COLOR") && term != nullptr && std::string_view(term) != "dumb";
  out.width = WidthOfTerminal();
  return out;
}

bool ShowsProgress() { return isatty(STDERR_FILENO) == 1; }

std::string Paint(const Terminal& terminal, Colour colour, std::string_view text) {
  if (!terminal.colour || colour == Colour::kNone || text.empty()) return std::string(text);
  return std::string(CodeOf(colour)).append(text).append(kReset);
}

size_t TextWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Piece piece = FirstPiece(text);
    width += piece.visible ? 1 : 0;
    text.remove_prefix(piece.bytes);
  }
  return width;
}

std::string CutText(std::string_view text, size_t width) {
  if (TextWidth(text) <= width) return std::string(text);
  std::string out;
  bool coloured = false;
  for (size_t column = 0; !text.empty() && column + 1 < width;) {
    const Piece piece = FirstPiece(text);
    out += text.substr(0, piece.bytes);
    column += piece.visible ? 1 : 0;
    coloured |= !piece.visible;
    text.remove_prefix(piece.bytes);
  }
  out += "…";
  if (coloured) out += kReset;
  return out;
}

std::string WrapText(std::string_view text, size_t width, size_t indent) {
  if (width == 0) return std::string(text);
  std::string out;
  size_t column = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const size_t length = TextWidth(word);
    if (column > 0 && column + 1 + length > width) {
      out.append("\n").append(indent, ' ');
      column = indent;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace coppice::cli
