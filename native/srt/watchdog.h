#ifndef SIGNALBOX_WATCHDOG_H
#define SIGNALBOX_WATCHDOG_H

#include <stdbool.h>

/*
 * Ends the process when the main loop or one of libsrt's receive threads has worked for 4 s without a pause: it loops,
 * or waits for a lock of one that does. The engine then starts another endpoint.
 */

bool watchdog_start(void);
/* Said by each watched thread about itself, before it sleeps and after. */
void watchdog_rest(void);
void watchdog_work(const char *what);

#endif
