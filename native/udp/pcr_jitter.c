#include "pcr_jitter.h"

#include "clock.h"
#include "ts_sync.h"

#define PCR_MASK ((UINT64_C(1) << 33) - 1)
/* A jump is a new clock, not a delay. */
enum { LEAP = 90000 };

static bool has_pcr(const uint8_t *packet) {
  return (packet[3] & 0x20) != 0 && packet[4] >= 7 && (packet[5] & 0x10) != 0;
}

static uint64_t read_pcr(const uint8_t *packet) {
  return (uint64_t)packet[6] << 25 | (uint64_t)packet[7] << 17 | (uint64_t)packet[8] << 9 | (uint64_t)packet[9] << 1 |
         packet[10] >> 7;
}

/* Follows one of several programs while its PCR arrives. */
static bool is_ours(struct pcr_jitter *jitter, uint16_t pid, int64_t now) {
  if (pid != jitter->pid && jitter->has_started && now - jitter->heard_at < SECONDS(1)) return false;
  if (pid != jitter->pid) jitter->has_started = false;
  jitter->pid = pid;
  jitter->heard_at = now;
  return true;
}

static void measure(struct pcr_jitter *jitter, uint64_t pcr, int64_t now) {
  uint64_t transit = ((uint64_t)now * 9 / 100 - pcr) & PCR_MASK;
  uint64_t change = (transit - jitter->transit) & PCR_MASK;
  if (change > PCR_MASK / 2) change = PCR_MASK + 1 - change;
  if (jitter->has_started && change < LEAP) jitter->jitter += ((double)change - jitter->jitter) / 16;
  jitter->has_started = true;
  jitter->transit = transit;
}

void pcr_jitter_take(struct pcr_jitter *jitter, const uint8_t *packets, size_t length, int64_t now) {
  for (const uint8_t *packet = packets; packet + TS_PACKET <= packets + length; packet += TS_PACKET) {
    if (!has_pcr(packet)) continue;
    uint16_t pid = (uint16_t)((packet[1] & 0x1f) << 8 | packet[2]);
    if (is_ours(jitter, pid, now)) measure(jitter, read_pcr(packet), now);
  }
}
