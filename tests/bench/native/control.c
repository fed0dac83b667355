#include "control.h"

#include "fail.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Atomic int pending = control_none;

/* Waits until the previous one was taken, so that none is overwritten. */
static void give(enum control_order order) {
  int expected = control_none;
  while (!atomic_compare_exchange_weak(&pending, &expected, (int)order)) {
    expected = control_none;
    usleep(1000);
  }
}

static void *read_orders(void *unused) {
  char line[32];
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (strcmp(line, "mark\n") == 0) give(control_mark);
    if (strcmp(line, "report\n") == 0) give(control_report);
    if (strcmp(line, "stop\n") == 0) break;
  }
  give(control_stop);
  return unused;
}

void control_start(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, read_orders, NULL) != 0) fail("cannot start a thread");
  pthread_detach(thread);
}

enum control_order control_take(void) { return (enum control_order)atomic_exchange(&pending, control_none); }
