#ifndef SIGNALBOX_PCR_JITTER_H
#define SIGNALBOX_PCR_JITTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How unevenly a transport stream comes in, by its own clock (PCR): the measure of RFC 3550, section 6.4.1. */
struct pcr_jitter {
  bool has_begun;
  uint16_t pid;
  int64_t heard_at;
  uint64_t transit; /* 90 kHz, of the 33 bits that a PCR has */
  double jitter;    /* 90 kHz */
};

/* Whole packets that came at `now`, in microseconds. */
void pcr_jitter_take(struct pcr_jitter *jitter, const uint8_t *packets, size_t length, int64_t now);
double pcr_jitter_ms(const struct pcr_jitter *jitter);

#endif
