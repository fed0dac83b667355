/* Checks a transport stream as it arrives: continuity of every PID, and the mark at the start of each video frame. */
#ifndef BENCH_TS_READER_H
#define BENCH_TS_READER_H

#include "reader-stats.h"

enum { ts_packet_size = 188, ts_pids = 8192 };

struct ts_reader {
  struct sink_stats *stats;
  size_t index;
  int16_t continuity[ts_pids];
  int video_pid;
  /* Start of the current frame, until its mark is found. */
  uint8_t head[MARKER_SEARCH_SIZE];
  size_t head_size;
  int is_searching;
  /* Bytes of a packet cut by a datagram's end (SRT messages are whole packets with every known relay). */
  uint8_t partial[ts_packet_size];
  size_t partial_size;
  /* When the data being read arrived. */
  uint64_t at_ns;
};

void ts_reader_init(struct ts_reader *reader, struct sink_stats *stats, size_t index);
void ts_reader_feed(struct ts_reader *reader, const uint8_t *data, size_t size, uint64_t at_ns);

#endif
