#pragma once

#include <functional>
#include <string>

#include "cli/text/output.h"
#include "json/value.h"

namespace coppice::cli {

// Prints a document in the given format; `text` formats it for humans.
void Print(const json::Value& document, Format format,
           const std::function<std::string(const json::Value&)>& text);

}  // namespace coppice::cli
