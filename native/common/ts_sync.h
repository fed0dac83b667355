#ifndef SIGNALBOX_TS_SYNC_H
#define SIGNALBOX_TS_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds and keeps MPEG-TS packet alignment, so that nothing but whole 188-byte packets is passed on. */

enum {
  TS_PACKET = 188,
  TS_SYNC_BYTE = 0x47,
  /* Sync bytes in a row before a stream counts as aligned. */
  TS_LOCK_PACKETS = 3,
  TS_CARRY = TS_PACKET * (TS_LOCK_PACKETS - 1) + 1,
  /* Bytes without alignment after which a publisher is given up. */
  TS_JUNK_LIMIT = 64 << 10,
};

struct ts_sync {
  uint8_t carry[TS_CARRY];
  size_t carried; /* bytes that wait for the rest of their packet */
  bool is_locked;
  uint64_t junk;   /* bytes thrown away since alignment was lost or never found */
};

/* `data` must begin with the `carried` bytes of `carry` (ts_sync_start puts them there). Moves the whole packets to
   the front of `data`, keeps the rest, returns the number of bytes to pass on (a multiple of 188). */
size_t ts_sync_start(const struct ts_sync *sync, uint8_t *data);
size_t ts_sync_run(struct ts_sync *sync, uint8_t *data, size_t length);
bool ts_sync_is_hopeless(const struct ts_sync *sync);
/* Bytes were lost: what waits belongs to nothing. */
void ts_sync_break(struct ts_sync *sync);

#endif
