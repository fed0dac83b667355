#ifndef SIGNALBOX_TS_SYNC_H
#define SIGNALBOX_TS_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds and keeps MPEG-TS packet alignment, so that only whole 188-byte packets are passed on. Packets may be spaced
   192 bytes apart, each preceded by a 4-byte time code (M2TS), or 204 bytes, each followed by 16 bytes of Reed-Solomon
   code or padding (DVB): the bytes between packets are removed. */

enum {
  TS_PACKET = 188,
  TS_SYNC_BYTE = 0x47,
  /* Consecutive sync bytes before a stream counts as aligned. */
  TS_LOCK_PACKETS = 3,
  TS_STRIDE_MAX = 204,
  TS_CARRY = TS_STRIDE_MAX * (TS_LOCK_PACKETS - 1) + 1,
  /* Bytes without alignment after which a publisher is closed. */
  TS_JUNK_LIMIT = 64 << 10,
};

struct ts_sync {
  uint8_t carry[TS_CARRY];
  size_t carried; /* bytes waiting for the rest of their packet */
  size_t stride;  /* while locked: distance between the starts of two packets */
  size_t skip;    /* bytes between packets still to be skipped */
  bool is_locked;
  uint64_t junk;   /* bytes discarded since alignment was lost or never found */
};

/* `data` must begin with the `carried` bytes of `carry` (ts_sync_start puts them there). Moves the whole packets to
   the front of `data`, keeps the rest, returns the number of bytes to pass on (a multiple of 188). */
size_t ts_sync_start(const struct ts_sync *sync, uint8_t *data);
size_t ts_sync_run(struct ts_sync *sync, uint8_t *data, size_t length);
bool ts_sync_has_failed(const struct ts_sync *sync);
/* After lost bytes: discards the partial packet. */
void ts_sync_break(struct ts_sync *sync);

#endif
