/*
 * Most readers poll sockets on a grid of ticks. No process sleeps on such a socket, so arriving packets wake none:
 * on a virtual machine a wake-up costs the sender more than the packet does, and in reality a receiver is on another
 * machine.
 */
#ifndef BENCH_GRID_H
#define BENCH_GRID_H

#include <stdint.h>

/* 0: no grid, readers are woken. */
void grid_start(long tick_ms);
int grid_is_on(void);
/* Returns the next tick, on the monotonic clock. */
uint64_t grid_next_ns(void);
void grid_wait(void);

#endif
