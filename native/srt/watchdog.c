#include "watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "admission.h"
#include "log.h"
#include "wire.h"

enum { CHECKS = 8, CHECK_MS = 500, MAX_THREADS = MAX_DEDICATED_LISTENERS + 8 };

struct beat {
  _Atomic uint32_t count; /* odd: at work */
  _Atomic bool is_taken;
  const char *what;
  /* used by the watchdog thread only */
  uint32_t seen;
  unsigned checks; /* consecutive checks without progress */
};

static struct beat beats[MAX_THREADS];
static pthread_key_t on_thread_end;
static _Thread_local struct beat *own;

static void give_back(void *beat) {
  struct beat *ended = beat;
  if (ended->count % 2 == 1) ended->count++;
  ended->is_taken = false;
}

static struct beat *take(void) {
  for (size_t i = 0; i < MAX_THREADS; i++) {
    bool is_free = false;
    if (!atomic_compare_exchange_strong(&beats[i].is_taken, &is_free, true)) continue;
    pthread_setspecific(on_thread_end, &beats[i]);
    return &beats[i];
  }
  return NULL;
}

void watchdog_rest(void) {
  if (own != NULL && own->count % 2 == 1) own->count++;
}

void watchdog_work(const char *what) {
  if (own == NULL) own = take();
  if (own == NULL) return;
  own->what = what;
  if (own->count % 2 == 0) own->count++;
}

static void check(struct beat *beat) {
  const uint32_t count = beat->count;
  beat->checks = count % 2 == 1 && count == beat->seen ? beat->checks + 1 : 0;
  beat->seen = count;
  if (beat->checks < CHECKS) return;
  log_error("%s hangs", beat->what);
  _exit(EXIT_HUNG);
}

/* Counts checks instead of time: a process that was stopped by a signal has not hung. */
static void *watch(void *unused) {
  const struct timespec pause = {.tv_nsec = CHECK_MS * 1000000L};
  (void)unused;
  while (nanosleep(&pause, NULL) == 0 || errno == EINTR) {
    for (size_t i = 0; i < MAX_THREADS; i++) check(&beats[i]);
  }
  return NULL;
}

bool watchdog_start(void) {
  pthread_t thread;
  return pthread_key_create(&on_thread_end, give_back) == 0 && pthread_create(&thread, NULL, watch, NULL) == 0 &&
         pthread_detach(thread) == 0;
}
