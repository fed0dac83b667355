#ifndef SIGNALBOX_RTP_H
#define SIGNALBOX_RTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MPEG-TS in RTP: RFC 3550, RFC 2250 (payload type 33, 90 kHz clock). */

enum {
  RTP_HEADER = 12,
  RTP_SLOTS = 128,     /* how far a packet may be ahead of a missing one; a power of two */
  RTP_SLOT_BYTES = 2048,
  RTP_WAIT_MS = 50,    /* how long to wait for a missing packet */
};

/* Writes the header of one packet. */
void rtp_put_header(uint8_t *at, uint16_t sequence, uint32_t timestamp, uint32_t source);

struct rtp_slot {
  int64_t at; /* arrival time; 0: free */
  uint16_t length;
  uint8_t bytes[RTP_SLOT_BYTES];
};

/* Puts packets in sequence number order. */
struct rtp_order {
  struct rtp_slot *slots; /* RTP_SLOTS of them */
  uint32_t held;
  bool has_started;
  uint16_t next; /* next expected sequence number */
  bool has_stray; /* the last number was far off */
  uint16_t after_stray;
  uint32_t source;
  uint32_t transit;
  double jitter; /* in units of the clock, as in RFC 3550 */
  uint64_t lost;
  uint64_t reordered;
  uint64_t late; /* duplicate, or arrived after it was given up */
};

typedef void rtp_deliver(void *context, uint8_t *payload, size_t length);

bool rtp_order_init(struct rtp_order *order);
void rtp_order_free(struct rtp_order *order);
/* Takes a datagram; passes on the payloads that are due. Returns false if it is not RTP. `now` is in microseconds. */
bool rtp_take(struct rtp_order *order, uint8_t *datagram, size_t length, int64_t now, rtp_deliver *deliver,
              void *context);
/* Gives up packets that have been missing for too long. */
void rtp_expire(struct rtp_order *order, int64_t now, rtp_deliver *deliver, void *context);
/* When rtp_expire must be called next; INT64_MAX: nothing is missing. */
int64_t rtp_due(const struct rtp_order *order);

#endif
