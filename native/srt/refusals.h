#ifndef SIGNALBOX_REFUSALS_H
#define SIGNALBOX_REFUSALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Who was turned away and why, for the engine. A caller that knocks a hundred times a second becomes one report a
   second with a count. Any thread may add, the main loop takes. */

enum { PEER_TEXT = 64 };

struct refusal {
  uint32_t door;        /* 0: the common listener */
  char peer[PEER_TEXT]; /* the latest */
  const char *reason;   /* literal */
  int code;
  uint32_t count; /* since the last report of this host, door and reason */
};

void refusal_add(uint32_t door, const char *peer, const char *reason, int code, int64_t now);
/* The next one that is due, if any. */
bool refusal_take(struct refusal *out, int64_t now);
bool refusal_is_waiting(void);

void peer_text(const struct sockaddr *address, char out[PEER_TEXT]);

#endif
