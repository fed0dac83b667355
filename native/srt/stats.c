#include "clock.h"
#include "endpoint.h"
#include "events.h"
#include "sockets.h"

/* A receiver makes progress while it acknowledges, or has nothing to acknowledge. What is sent says nothing: the library
   goes on sending, and dropping, as long as the peer shows that it lives. */
static void note_progress(const struct endpoint *endpoint, struct leg *leg, const SRT_TRACEBSTATS *stats) {
  const struct cursor *cursor = &leg->cursor;
  bool has_waiting = stats->pktSndBuf > 0 || (cursor->is_started && cursor->offset < leg->feed->ring.head);
  if (stats->pktRecvACKTotal != leg->acks || !has_waiting) leg->heard_at = endpoint->now;
  leg->acks = stats->pktRecvACKTotal;
}

static void put_receiver(struct json_writer *json, const struct leg *leg, const SRT_TRACEBSTATS *stats) {
  const struct cursor *cursor = &leg->cursor;
  json_put_text(json, "dir", "out");
  json_put_integer(json, "packets", stats->pktSentUniqueTotal);
  json_put_integer(json, "loss", stats->pktSndLossTotal);
  json_put_integer(json, "retrans", stats->pktRetransTotal);
  json_put_integer(json, "drop", stats->pktSndDropTotal);
  json_put_integer(json, "buffer_ms", stats->msSndBuf);
  json_put_integer(json, "latency", stats->msSndTsbPdDelay);
  json_put_number(json, "limit_mbps", stats->mbpsMaxBW, 1);
  json_put_integer(json, "lag_bytes", cursor->is_started ? (int64_t)(leg->feed->ring.head - cursor->offset) : 0);
  json_put_integer(json, "skips", (int64_t)cursor->skips);
  json_put_integer(json, "skipped_bytes", (int64_t)cursor->skipped_bytes);
}

static void put_publisher(struct json_writer *json, const struct leg *leg, const SRT_TRACEBSTATS *stats) {
  json_put_text(json, "dir", "in");
  json_put_integer(json, "packets", stats->pktRecvUniqueTotal);
  json_put_integer(json, "loss", stats->pktRcvLossTotal);
  json_put_integer(json, "retrans", (int64_t)leg->retransmitted);
  json_put_integer(json, "drop", stats->pktRcvDropTotal);
  json_put_integer(json, "undecrypted", stats->pktRcvUndecryptTotal);
  json_put_integer(json, "buffer_ms", stats->msRcvBuf);
  json_put_integer(json, "latency", stats->msRcvTsbPdDelay);
  json_put_integer(json, "dropped_bytes", (int64_t)leg->dropped_bytes);
}

static void put_leg(struct endpoint *endpoint, struct leg *leg) {
  SRT_TRACEBSTATS stats;
  /* A rate over a few milliseconds says nothing; a new leg waits for the next report. */
  if (endpoint->now - leg->stats_at < MS(500)) return;
  if (srt_bstats(leg->socket, &stats, 1) != 0) return;
  struct json_writer *json = &endpoint->link.json;
  int64_t elapsed = endpoint->now - leg->stats_at;
  double kbps = elapsed > 0 ? (double)(leg->bytes - leg->bytes_before) * 8000.0 / (double)elapsed : 0;
  leg->bytes_before = leg->bytes;
  leg->stats_at = endpoint->now;
  /* libsrt has no total for this one; the interval counter starts again with every call. */
  leg->retransmitted += (uint64_t)stats.pktRcvRetrans;
  json_open_object(json);
  json_put_integer(json, leg_is_call(leg) ? "call" : "conn", leg->id);
  json_put_number(json, "rtt", stats.msRTT, 2);
  json_put_integer(json, "bytes", (int64_t)leg->bytes);
  json_put_number(json, "kbps", kbps, 1);
  json_put_number(json, "bandwidth_mbps", stats.mbpsBandwidth, 1);
  if (leg_is_receiver(leg)) {
    note_progress(endpoint, leg, &stats);
    put_receiver(json, leg, &stats);
  } else {
    put_publisher(json, leg, &stats);
  }
  json_close_object(json);
}

static void close_stalled(struct endpoint *endpoint) {
  for (uint32_t i = 0; i < endpoint->leg_count; i++) {
    struct leg *leg = endpoint->legs[i];
    if (leg->state != LEG_CONNECTED || !leg_is_receiver(leg)) continue;
    if (endpoint->now - leg->heard_at > SECONDS(STALL_SECONDS)) leg_close(endpoint, leg, "slow", 0);
  }
}

/* Before the stream needs more than what was measured a second ago, the reserve of the limit has to do. */
static void follow_rates(struct endpoint *endpoint) {
  feeds_measure(endpoint, endpoint->now - endpoint->stats_at);
  for (uint32_t i = 0; i < endpoint->leg_count; i++) {
    const struct leg *leg = endpoint->legs[i];
    if (leg->state == LEG_CONNECTED && leg->is_limited) socket_set_rate(leg->socket, feed_rate(leg->feed));
  }
}

void stats_send(struct endpoint *endpoint) {
  if (endpoint->now - endpoint->stats_at < SECONDS(1)) return;
  follow_rates(endpoint);
  endpoint->stats_at = endpoint->now;
  endpoint->link.errors_in_second = 0;
  bool any = false;
  for (uint32_t i = 0; i < endpoint->leg_count; i++) any = any || endpoint->legs[i]->state == LEG_CONNECTED;
  /* Once more when the last one has left: what the rings held is free. */
  if (!any && rings_held() == endpoint->rings_told) return;
  endpoint->rings_told = rings_held();
  json_begin(&endpoint->link.json);
  json_put_text(&endpoint->link.json, "ev", "stats");
  json_put_integer(&endpoint->link.json, "ring_bytes", (int64_t)rings_held());
  json_put_integer(&endpoint->link.json, "ring_limit", (int64_t)rings_limit());
  json_open_list(&endpoint->link.json, "list");
  for (uint32_t i = 0; i < endpoint->leg_count; i++) {
    if (endpoint->legs[i]->state == LEG_CONNECTED) put_leg(endpoint, endpoint->legs[i]);
  }
  json_close_list(&endpoint->link.json);
  link_send(&endpoint->link);
  close_stalled(endpoint);
}
