// Every API object is hundreds of small pieces that one thread allocates and another frees: with
// jemalloc a pod costs a tenth less processor time than with the C library's allocator.

// Read by jemalloc before main begins. What is free goes back to the system after a second, by a
// thread of its own, so that an idle process gives back what its start needed.
extern "C" const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
