// Holds a pod's namespaces, as every pod sandbox needs somebody to do.
#include <unistd.h>

int main() {
  for (;;) pause();
}
