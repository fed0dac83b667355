#ifndef SIGNALBOX_PCR_JITTER_H
#define SIGNALBOX_PCR_JITTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arrival jitter of a transport stream relative to its own clock (PCR), as defined in RFC 3550, section 6.4.1. */
struct pcr_jitter {
  bool has_started;
  uint16_t pid;
  int64_t heard_at;
  uint64_t transit; /* 90 kHz, modulo the 33 bits of a PCR */
  double jitter;    /* 90 kHz */
};

/* Takes whole packets that arrived at `now`, in microseconds. */
void pcr_jitter_take(struct pcr_jitter *jitter, const uint8_t *packets, size_t length, int64_t now);

#endif
