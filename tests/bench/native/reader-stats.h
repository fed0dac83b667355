/* Statistics of every reader of a sink, and their sum as JSON. */
#ifndef BENCH_READER_STATS_H
#define BENCH_READER_STATS_H

#include "marker.h"

#include <stddef.h>
#include <stdint.h>

struct reader_stats {
  uint64_t opened_ns;
  uint64_t first_media_ns;
  /* When the first keyframe was complete; 0 before. */
  uint64_t first_picture_ns;
  uint64_t last_frame_ns;
  uint64_t bytes;
  uint64_t frames;
  /* Frame numbers that never arrived. */
  uint64_t lost;
  /* Frames that arrived twice or out of order. */
  uint64_t repeated;
  /* TS: continuity counter jumps. RTMP: timestamps that go back or jump. */
  uint64_t faults;
  /* Longest time between two frames. */
  uint64_t longest_gap_ns;
  uint32_t last_frame;
  int has_frame;
  /* Whether a frame that a decoder can start with was seen. */
  int has_keyframe;
  /* It reads too rarely for its frames to be timed. */
  int is_untimed;
  int is_closed;
};

struct sink_stats {
  size_t count;
  struct reader_stats *readers;
  uint64_t window_started_ns;
  /* A reader without a frame for this long has stalled. */
  uint64_t stalled_after_ns;
  uint32_t *latencies_us;
  size_t latency_count;
  size_t latency_capacity;
  size_t with_media;
  size_t with_picture;
  /* Frames are reported when they are complete (RTMP), not when they begin. */
  int has_whole_frames;
};

void stats_init(struct sink_stats *stats, size_t count);
/*
 * For frames that arrive by the segment, each of at most this length. A server may take 1.5 times as long to list the
 * next one (RFC 8216, section 6.2.1), and a reader asks once per second: it has stalled after twice the length.
 */
void stats_expect_segments(struct sink_stats *stats, uint64_t length_ns);
/* `at_ns`: when the bytes arrived, which may be before they were read. */
void stats_bytes(struct sink_stats *stats, size_t reader, size_t bytes, uint64_t at_ns);
void stats_frame(struct sink_stats *stats, size_t reader, const struct marker_stamp *stamp, uint64_t at_ns);
/* Resets the counters, so that a window starts now. */
void stats_begin_window(struct sink_stats *stats);
/* Prints one line to stdout. */
void stats_print_ready(const struct sink_stats *stats);
/* The same, once every reader has a picture. */
void stats_print_picture(const struct sink_stats *stats);
void stats_print_report(struct sink_stats *stats);

#endif
