/*
 * libsrt's sending thread is woken for the first queued message and runs dry while the next ones are queued, so it goes
 * to sleep and is woken two or three times per round of messages [16 clients at 6 Mb/s: 580 times a second], and both
 * threads wait for each other's locks. This replaces the C library's pthread_cond_signal() for libsrt: the threads
 * signaled in a round are woken once, after it.
 */
#include "wake_hold.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { MAX_HELD = 16 };

static _Thread_local bool is_holding;
static _Thread_local pthread_cond_t *held[MAX_HELD];
static _Thread_local size_t held_count;

static bool hold(pthread_cond_t *condition) {
  for (size_t i = 0; i < held_count; i++) {
    if (held[i] == condition) return true;
  }
  if (held_count == MAX_HELD) return false;
  held[held_count++] = condition;
  return true;
}

/* One signal may wake more than one thread. */
int pthread_cond_signal(pthread_cond_t *condition) {
  return is_holding && hold(condition) ? 0 : pthread_cond_broadcast(condition);
}

void wake_hold(void) { is_holding = true; }

void wake_release(void) {
  is_holding = false;
  while (held_count > 0) pthread_cond_broadcast(held[--held_count]);
}
