/*
 * Most readers look at their sockets on a grid of ticks. Nobody sleeps on such a socket, so what arrives there wakes
 * nobody: on a virtual machine a wake-up costs the sender more than the packet does, and a receiver is on another
 * machine anyway.
 */
#ifndef BENCH_GRID_H
#define BENCH_GRID_H

#include <stdint.h>

/* 0: no grid, readers are woken. */
void grid_start(long tick_ms);
int grid_is_on(void);
/* The next tick after now, on the monotonic clock. */
uint64_t grid_next_ns(void);
void grid_wait(void);

#endif
