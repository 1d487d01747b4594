// Stands in for NVIDIA's management library on a node without GPUs: one GPU, always the same.
#include <string.h>

int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = 0;
  return index == 0 ? 0 : 2;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  strncpy(text, "GPU-00000000-0000-0000-0000-000000000001", size);
  return device ? 2 : 0;
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) {
  strncpy(text, "stand-in", size);
  return device ? 2 : 0;
}
const char* nvmlErrorString(int code) { return code ? "failed" : "success"; }
