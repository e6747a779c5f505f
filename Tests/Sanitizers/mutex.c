// SPDX-License-Identifier: MIT
//
// Tells the thread sanitizer about the ordering by a contended Mutex of Swift's Synchronization.
//
// Locking or unlocking without contention is an atomic operation in this project's instrumented
// code. The slow paths are in the library, which is not instrumented, and end in a futex, so that
// every access under a contended lock would be reported as a race. Linked into the programs, these
// functions replace the library's, call them, and report the ordering. A suppression would also
// hide real races under a lock.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Synchronization._MutexHandle._lockSlow(UInt32) and _unlockSlow()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void Lock(uint32_t state, SELF void *mutex);
typedef SWIFT void Unlock(SELF void *mutex);

void __tsan_acquire(void *address);
void __tsan_release(void *address);

SWIFT void lock(uint32_t state, SELF void *mutex) __asm__(LOCK);
SWIFT void unlock(SELF void *mutex) __asm__(UNLOCK);

static void *library(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (function) return function;
  fprintf(stderr, "Synchronization has no %s\n", name);
  abort();
}

SWIFT void lock(uint32_t state, SELF void *mutex) {
  ((Lock *)library(LOCK))(state, mutex);
  __tsan_acquire(mutex);
}

SWIFT void unlock(SELF void *mutex) {
  __tsan_release(mutex);
  ((Unlock *)library(UNLOCK))(mutex);
}
