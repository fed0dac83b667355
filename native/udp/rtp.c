#include "rtp.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum { RTP_VERSION = 2, PAYLOAD_TS = 33, RESTART = 3000 };

void rtp_put_header(uint8_t *at, uint16_t sequence, uint32_t timestamp, uint32_t source) {
  at[0] = RTP_VERSION << 6;
  at[1] = PAYLOAD_TS;
  at[2] = (uint8_t)(sequence >> 8);
  at[3] = (uint8_t)sequence;
  for (int i = 0; i < 4; i++) {
    at[4 + i] = (uint8_t)(timestamp >> (24 - 8 * i));
    at[8 + i] = (uint8_t)(source >> (24 - 8 * i));
  }
}

struct rtp_packet {
  uint16_t sequence;
  uint32_t timestamp, source;
  uint8_t *payload;
  size_t length;
};

static uint32_t read_u32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool parse(uint8_t *datagram, size_t length, struct rtp_packet *packet) {
  if (length < RTP_HEADER || datagram[0] >> 6 != RTP_VERSION) return false;
  size_t from = RTP_HEADER + (size_t)4 * (datagram[0] & 15);
  if ((datagram[0] & 0x10) != 0) {
    if (from + 4 > length) return false;
    from += 4 + (size_t)4 * ((size_t)datagram[from + 2] << 8 | datagram[from + 3]);
  }
  size_t padding = (datagram[0] & 0x20) != 0 ? datagram[length - 1] : 0;
  if (from + padding > length) return false;
  packet->sequence = (uint16_t)(datagram[2] << 8 | datagram[3]);
  packet->timestamp = read_u32(datagram + 4);
  packet->source = read_u32(datagram + 8);
  packet->payload = datagram + from;
  packet->length = length - from - padding;
  return true;
}

bool rtp_order_init(struct rtp_order *order) {
  memset(order, 0, sizeof *order);
  order->slots = calloc(RTP_SLOTS, sizeof *order->slots);
  return order->slots != NULL;
}

void rtp_order_free(struct rtp_order *order) {
  free(order->slots);
  order->slots = NULL;
}

static struct rtp_slot *slot_of(struct rtp_order *order, uint16_t sequence) {
  return &order->slots[sequence % RTP_SLOTS];
}

/* Passes on the packets that follow without a gap. */
static void deliver_held(struct rtp_order *order, rtp_deliver *deliver, void *context) {
  while (order->held > 0) {
    struct rtp_slot *slot = slot_of(order, order->next);
    if (slot->at == 0) return;
    slot->at = 0;
    order->held--;
    order->next++;
    deliver(context, slot->bytes, slot->length);
  }
}

/* Gives up the packets missing before the first one held. */
static void give_up_gap(struct rtp_order *order, rtp_deliver *deliver, void *context) {
  while (order->held > 0 && slot_of(order, order->next)->at == 0) {
    order->next++;
    order->lost++;
  }
  deliver_held(order, deliver, context);
}

static void restart(struct rtp_order *order, const struct rtp_packet *packet, rtp_deliver *deliver, void *context) {
  while (order->held > 0) give_up_gap(order, deliver, context);
  order->has_started = true;
  order->source = packet->source;
  order->next = packet->sequence;
  order->transit = 0;
}

/* RFC 3550, appendix A.8. */
static void measure_jitter(struct rtp_order *order, const struct rtp_packet *packet, int64_t now) {
  uint32_t transit = (uint32_t)(now * 9 / 100) - packet->timestamp;
  if (order->transit != 0) {
    int32_t change = (int32_t)(transit - order->transit);
    order->jitter += ((change < 0 ? -(double)change : (double)change) - order->jitter) / 16;
  }
  order->transit = transit;
}

static void hold(struct rtp_order *order, const struct rtp_packet *packet, int64_t now) {
  struct rtp_slot *slot = slot_of(order, packet->sequence);
  if (slot->at != 0) {
    order->late++;
    return;
  }
  /* Real senders do not send such packets; it counts as lost. */
  if (packet->length > RTP_SLOT_BYTES) return;
  slot->at = now;
  slot->length = (uint16_t)packet->length;
  memcpy(slot->bytes, packet->payload, packet->length);
  order->held++;
}

/* Two consecutive numbers that are far off mean that the sender restarted (RFC 3550, appendix A.1). */
static bool is_stray(struct rtp_order *order, const struct rtp_packet *packet) {
  if (order->has_stray && packet->sequence == order->after_stray) return false;
  order->has_stray = true;
  order->after_stray = (uint16_t)(packet->sequence + 1);
  return true;
}

bool rtp_take(struct rtp_order *order, uint8_t *datagram, size_t length, int64_t now, rtp_deliver *deliver,
              void *context) {
  struct rtp_packet packet;
  if (!parse(datagram, length, &packet)) return false;
  if (!order->has_started || packet.source != order->source) restart(order, &packet, deliver, context);
  measure_jitter(order, &packet, now);
  int16_t ahead = (int16_t)(packet.sequence - order->next);
  if (ahead > RESTART || ahead < -RTP_SLOTS) {
    if (is_stray(order, &packet)) {
      order->late++;
      return true;
    }
    restart(order, &packet, deliver, context);
    ahead = 0;
  }
  order->has_stray = false;
  if (ahead < 0) {
    order->late++;
    return true;
  }
  while (ahead >= RTP_SLOTS) {
    /* More packets are missing than can be waited for. */
    if (order->held > 0) give_up_gap(order, deliver, context);
    else {
      order->lost += (uint64_t)ahead;
      order->next = packet.sequence;
    }
    ahead = (int16_t)(packet.sequence - order->next);
  }
  if (ahead > 0) {
    hold(order, &packet, now);
    return true;
  }
  if (order->held > 0) order->reordered++;
  order->next++;
  deliver(context, packet.payload, packet.length);
  deliver_held(order, deliver, context);
  return true;
}

static int64_t oldest(const struct rtp_order *order) {
  int64_t at = INT64_MAX;
  for (int i = 0; i < RTP_SLOTS; i++) {
    if (order->slots[i].at != 0 && order->slots[i].at < at) at = order->slots[i].at;
  }
  return at;
}

int64_t rtp_due(const struct rtp_order *order) {
  return order->slots == NULL || order->held == 0 ? INT64_MAX : oldest(order) + MS(RTP_WAIT_MS);
}

void rtp_expire(struct rtp_order *order, int64_t now, rtp_deliver *deliver, void *context) {
  while (rtp_due(order) <= now) give_up_gap(order, deliver, context);
}
