#pragma once

#include <string>
#include <string_view>

namespace coppice::cli {

// Where a command prints. Columns are cut and words are coloured only for a person at a terminal:
// programs that read a pipe get everything, without colours.
struct Terminal {
  bool is_terminal = false;
  bool colour = false;  // Off with NO_COLOR and for TERM=dumb.
  size_t width = 0;     // Columns; 0: unlimited.
};

// Standard output. COLUMNS overrides the width of a terminal.
Terminal StandardOutput();
// Whether standard error is a terminal: progress is shown there.
bool ShowsProgress();

enum class Colour { kNone, kGood, kBusy, kBad, kFaint, kStrong };
// The text in a colour; unchanged if the terminal shows none.
std::string Paint(const Terminal& terminal, Colour colour, std::string_view text);

// The number of columns that the text takes: code points, without colours.
size_t TextWidth(std::string_view text);
// The text cut to a number of columns, with an ellipsis at the end.
std::string CutText(std::string_view text, size_t width);
// The text in lines of at most `width` columns, broken at spaces; all but the first start with
// `indent` spaces. A width of 0 does not break.
std::string WrapText(std::string_view text, size_t width, size_t indent);

}  // namespace coppice::cli
