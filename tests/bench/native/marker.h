/*
 * A mark in every video frame: an H.264 SEI message (user data unregistered) with the send time and the number of the
 * frame. Relays that only copy keep it through any container. It is printable text, so stamping a frame never requires
 * emulation prevention bytes.
 */
#ifndef BENCH_MARKER_H
#define BENCH_MARKER_H

#include <stddef.h>
#include <stdint.h>

#define MARKER_ID_SIZE 16
/* 16 hexadecimal digits of nanoseconds, 8 of the frame number. */
#define MARKER_STAMP_SIZE 24
#define MARKER_NAL_SIZE (3 + MARKER_ID_SIZE + MARKER_STAMP_SIZE + 1)
/* The mark precedes the picture: everything before it (AUD, SPS, PPS, the encoder's own SEI) fits in here. */
#define MARKER_SEARCH_SIZE 2048
/* The clip has this GOP length, and its own length is a multiple of it, so the frame number identifies keyframes. */
#define MARKER_GOP_FRAMES 60

extern const uint8_t marker_id[MARKER_ID_SIZE];

struct marker_stamp {
  uint64_t sent_ns;
  uint32_t frame;
};

/* Writes a NAL unit without start code or length. */
void marker_write_nal(uint8_t nal[MARKER_NAL_SIZE]);
void marker_format(uint8_t text[MARKER_STAMP_SIZE], struct marker_stamp stamp);
/* Returns the offset of the stamp's text, or -1. */
ptrdiff_t marker_find(const uint8_t *data, size_t size);
/* Returns 1 if the text was a stamp. */
int marker_parse(const uint8_t *text, struct marker_stamp *stamp);

#endif
