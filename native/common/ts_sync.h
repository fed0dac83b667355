#ifndef SIGNALBOX_TS_SYNC_H
#define SIGNALBOX_TS_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds and keeps MPEG-TS packet alignment, so that nothing but whole 188-byte packets is passed on. Packets may stand
   192 bytes apart, with a time code of 4 bytes in front of each (M2TS), or 204 bytes, with 16 bytes of Reed-Solomon code
   or padding behind each (DVB): what lies between them is left out. */

enum {
  TS_PACKET = 188,
  TS_SYNC_BYTE = 0x47,
  /* Sync bytes in a row before a stream counts as aligned. */
  TS_LOCK_PACKETS = 3,
  TS_STRIDE_MAX = 204,
  TS_CARRY = TS_STRIDE_MAX * (TS_LOCK_PACKETS - 1) + 1,
  /* Bytes without alignment after which a publisher is given up. */
  TS_JUNK_LIMIT = 64 << 10,
};

struct ts_sync {
  uint8_t carry[TS_CARRY];
  size_t carried; /* bytes that wait for the rest of their packet */
  size_t stride;  /* while locked: from the beginning of one packet to that of the next */
  size_t skip;    /* bytes between packets that are yet to come */
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
