#ifndef SIGNALBOX_CLOCK_H
#define SIGNALBOX_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Monotonic time in microseconds; all times in this program use it. */
static inline int64_t clock_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

#define MS(n) ((int64_t)(n) * 1000)
#define SECONDS(n) ((int64_t)(n) * 1000000)

#endif
