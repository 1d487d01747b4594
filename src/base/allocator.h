#pragma once

namespace coppice::base {

// Sets the C library's allocator up for a server: many threads that allocate and free small pieces
// all the time. By default its per-thread arenas grow by single pages and give them back at once,
// which costs a system call every few kilobytes. Call first thing in main.
void SetUpAllocator();

// Returns to the system what is free, e.g. after a start that needed more than what follows.
void GiveMemoryBack();

}  // namespace coppice::base
