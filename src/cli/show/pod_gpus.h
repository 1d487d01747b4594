#pragma once

#include "json/value.h"

namespace coppice::cli {

// The GPUs that a pod's containers request as a whole.
double WholeGpusOf(const json::Value& pod);
// Also the fractions of GPUs that it requests by annotation.
double GpusOf(const json::Value& pod);

}  // namespace coppice::cli
