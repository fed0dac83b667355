#ifndef SIGNALBOX_TS_SCAN_H
#define SIGNALBOX_TS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ts_sync.h"

/* Follows a transport stream packet by packet: its tables, and the packets in which a video access unit begins that a
   decoder can start with. It finds the same ones as the engine does (daemon/media/mpegts/scanner.ts). */

enum {
  TS_NO_PID = 0xffff,
  TS_SECTION_MAX = 1024,
  TS_TABLES_MAX = 2 * 6 * TS_PACKET, /* a PAT and a PMT of the longest */
};
enum ts_codec { TS_OTHER, TS_H264, TS_HEVC, TS_MPEG2, TS_MPEG4, TS_AV1 };

/* A section that is gathered from the packets of one PID. */
struct ts_section {
  uint8_t bytes[TS_SECTION_MAX + TS_PACKET];
  size_t length;
  uint8_t counter; /* of the newest packet */
};

struct ts_table {
  uint8_t bytes[TS_SECTION_MAX];
  size_t length; /* 0: none yet */
};

struct ts_scan {
  uint16_t pmt_pid, video_pid, audio_pid; /* of the first programme with a picture or sound, its first streams */
  uint16_t programme;
  uint8_t rejected; /* so many programmes of the PAT come before it, without either or without a PMT */
  uint8_t pats_without_pmt;
  bool is_alone; /* the only programme */
  enum ts_codec video_codec;
  struct ts_section pat_reader, pmt_reader;
  struct ts_table pat, pmt;
  bool has_new_tables; /* since the owner set it to false */
  bool has_begun; /* a PES packet did, and so the frame before is whole; since the owner set it to false */
};

void ts_scan_init(struct ts_scan *scan);
/* True when the packet is an entry point. */
bool ts_scan_packet(struct ts_scan *scan, const uint8_t *packet);
bool ts_scan_has_tables(const struct ts_scan *scan);
/* Packets of PAT and PMT whose counters fit to what follows; answers their length, 0 before both were seen. */
size_t ts_scan_tables(const struct ts_scan *scan, uint8_t packets[TS_TABLES_MAX]);

#endif
