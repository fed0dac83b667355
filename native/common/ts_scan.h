#ifndef SIGNALBOX_TS_SCAN_H
#define SIGNALBOX_TS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ts_sync.h"

/* Follows a transport stream packet by packet: its tables, and the packets that start a video random access point. It
   finds the same ones as the engine does (daemon/engine/mpegts/scanner.ts). */

enum {
  TS_NO_PID = 0xffff,
  TS_SECTION_MAX = 1024,
  TS_TABLES_MAX = 2 * 6 * TS_PACKET, /* a PAT and a PMT of maximum length */
};
enum ts_codec { TS_OTHER, TS_H264, TS_HEVC, TS_MPEG2, TS_MPEG4, TS_AV1 };

/* A section being assembled from the packets of one PID. */
struct ts_section {
  uint8_t bytes[TS_SECTION_MAX + TS_PACKET];
  size_t length;
  uint8_t counter; /* of the latest packet */
};

struct ts_table {
  uint8_t bytes[TS_SECTION_MAX];
  size_t length; /* 0: none yet */
};

struct ts_scan {
  uint16_t pmt_pid, video_pid, audio_pid; /* of the first program with video or audio, its first streams */
  uint16_t program;
  uint8_t rejected; /* number of earlier programs in the PAT without video and audio or without a PMT */
  uint8_t pats_without_pmt;
  bool is_alone; /* the only program */
  enum ts_codec video_codec;
  struct ts_section pat_reader, pmt_reader;
  struct ts_table pat, pmt;
  bool has_new_tables; /* until the owner sets it to false */
  bool has_started; /* a PES packet started, so the previous frame is complete; until the owner sets it to false */
};

void ts_scan_init(struct ts_scan *scan);
/* Returns true if the packet is a random access point. */
bool ts_scan_packet(struct ts_scan *scan, const uint8_t *packet);
bool ts_scan_has_tables(const struct ts_scan *scan);
/* Writes PAT and PMT with counters that match the following packets; returns their length, 0 before both were seen. */
size_t ts_scan_tables(const struct ts_scan *scan, uint8_t packets[TS_TABLES_MAX]);

#endif
