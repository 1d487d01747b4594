#include "cli/text/print.h"

#include <fmt/format.h>

#include <cstdio>

#include "json/write.h"
#include "json/yaml/yaml.h"

namespace coppice::cli {

void Print(const json::Value& document, Format format,
           const std::function<std::string(const json::Value&)>& text) {
  switch (format) {
    case Format::kText:
    case Format::kWide:
    case Format::kName:
      fmt::print("{}", text(document));
      break;
    case Format::kJson:
      fmt::print("{}\n", json::WritePretty(document));
      break;
    case Format::kYaml:
      fmt::print("{}", json::WriteYaml(document));
      break;
  }
}

}  // namespace coppice::cli
