#ifndef SIGNALBOX_GUESSES_H
#define SIGNALBOX_GUESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "address.h"

/* Hosts that try many wrong stream keys. Not locked: the owner of the key table calls it under its own mutex. IPv6
   hosts outside the local network are counted per /64. */

enum { HOST_BYTES = 16, FREE_GUESSES = 20, GUESS_WINDOW_S = 60, GUESS_EVERY_MS = 1000 };

struct guess_host {
  uint8_t bytes[HOST_BYTES];
};

struct guess_host guess_host_of(const union address *address);

/* Whether to check the next key of this host. After FREE_GUESSES wrong keys, one key per GUESS_EVERY_MS is checked
   until there was no wrong one for GUESS_WINDOW_S. A key that opened `feed` in this way from this host before is always
   checked; pass 0 for a key that opens nothing. */
bool guess_is_looked_at(const struct guess_host *host, uint32_t feed, int kind, int64_t now);
void guess_was_wrong(const struct guess_host *host, int64_t now);
void guess_was_right(const struct guess_host *host, uint32_t feed, int kind, int64_t now);

#endif
