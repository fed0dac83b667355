/* A TS file as an endless stream: clocks and counters continue across the loop, frames are stamped when they are sent. */
#ifndef BENCH_TS_CLIP_H
#define BENCH_TS_CLIP_H

#include <stddef.h>
#include <stdint.h>

struct ts_clip;

struct ts_clip *ts_clip_load(const char *path, uint32_t length_ms);
/* When the next packet is due, in nanoseconds from the start of the stream. */
uint64_t ts_clip_due(const struct ts_clip *clip);
/* Returns the next packet, 188 bytes, valid until the next call. */
const uint8_t *ts_clip_next(struct ts_clip *clip);
uint32_t ts_clip_frames(const struct ts_clip *clip);

#endif
