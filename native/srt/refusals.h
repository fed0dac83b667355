#ifndef SIGNALBOX_REFUSALS_H
#define SIGNALBOX_REFUSALS_H

#include <stdbool.h>
#include <stdint.h>

#include "address.h"

/* Refused callers and the reasons, for the engine. A caller that tries a hundred times a second becomes one report per
   second with a count. Any thread may add, the main loop takes. */

struct refusal {
  uint32_t listener;       /* 0: the common listener */
  char peer[ADDRESS_TEXT]; /* most recent */
  const char *reason;      /* a literal */
  int code;
  uint32_t count; /* since the last report of this host, dedicated listener and reason */
};

void refusal_add(uint32_t listener, const char *peer, const char *reason, int code, int64_t now);
/* Takes the next one that is due, if any. */
bool refusal_take(struct refusal *out, int64_t now);
bool refusal_is_waiting(void);

#endif
