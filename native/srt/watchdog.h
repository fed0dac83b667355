#ifndef SIGNALBOX_WATCHDOG_H
#define SIGNALBOX_WATCHDOG_H

#include <stdbool.h>

/*
 * Exits when the main loop or a receive thread of libsrt has been busy for 4 s without returning to its wait: it spins,
 * or waits for a lock that a spinning thread holds. The engine then starts another endpoint.
 */

bool watchdog_start(void);
/* Each watched thread calls these before it waits and after. */
void watchdog_rest(void);
void watchdog_work(const char *what);

#endif
