#include "grid.h"

#include "clock.h"

static uint64_t tick_ns;

void grid_start(long tick_ms) { tick_ns = (uint64_t)tick_ms * NS_PER_MS; }
int grid_is_on(void) { return tick_ns > 0; }
uint64_t grid_next_ns(void) { return (clock_ns() / tick_ns + 1) * tick_ns; }
void grid_wait(void) { sleep_until_ns(grid_next_ns()); }
