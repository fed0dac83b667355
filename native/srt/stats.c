#include "clock.h"
#include "endpoint.h"

/* A receiver makes progress while it acknowledges, or has nothing to acknowledge. Sent data proves nothing: libsrt
   keeps sending and dropping while the peer shows any sign of life. */
static void note_progress(const struct endpoint *endpoint, struct connection *connection,
                          const SRT_TRACEBSTATS *stats) {
  const struct cursor *cursor = &connection->cursor;
  bool has_waiting = stats->pktSndBuf > 0 || (cursor->is_started && cursor->offset < connection->feed->ring.head);
  if (stats->pktRecvACKTotal != connection->acks || !has_waiting) connection->heard_at = endpoint->now;
  connection->acks = stats->pktRecvACKTotal;
}

static void put_receiver(struct json_writer *json, const struct connection *connection, const SRT_TRACEBSTATS *stats) {
  const struct cursor *cursor = &connection->cursor;
  json_put_text(json, "dir", "out");
  json_put_integer(json, "packets", stats->pktSentUniqueTotal);
  json_put_integer(json, "loss", stats->pktSndLossTotal);
  json_put_integer(json, "retrans", stats->pktRetransTotal);
  json_put_integer(json, "drop", stats->pktSndDropTotal);
  json_put_integer(json, "buffer_ms", stats->msSndBuf);
  json_put_integer(json, "latency", stats->msSndTsbPdDelay);
  json_put_number(json, "limit_mbps", stats->mbpsMaxBW, 1);
  json_put_integer(json, "lag_bytes", cursor->is_started ? (int64_t)(connection->feed->ring.head - cursor->offset) : 0);
  json_put_integer(json, "skips", (int64_t)cursor->skips);
  json_put_integer(json, "skipped_bytes", (int64_t)cursor->skipped_bytes);
}

static void put_publisher(struct json_writer *json, const struct connection *connection, const SRT_TRACEBSTATS *stats) {
  json_put_text(json, "dir", "in");
  json_put_integer(json, "packets", stats->pktRecvUniqueTotal);
  json_put_integer(json, "loss", stats->pktRcvLossTotal);
  json_put_integer(json, "retrans", (int64_t)connection->retransmitted);
  json_put_integer(json, "drop", stats->pktRcvDropTotal);
  json_put_integer(json, "undecrypted", stats->pktRcvUndecryptTotal);
  json_put_integer(json, "buffer_ms", stats->msRcvBuf);
  json_put_integer(json, "latency", stats->msRcvTsbPdDelay);
  json_put_integer(json, "dropped_bytes", (int64_t)connection->dropped_bytes);
}

static void put_connection(struct endpoint *endpoint, struct connection *connection) {
  SRT_TRACEBSTATS stats;
  /* A rate over a few milliseconds is meaningless; a new connection waits for the next report. */
  if (endpoint->now - connection->stats_at < MS(500)) return;
  if (srt_bstats(connection->socket, &stats, 1) != 0) return;
  struct json_writer *json = &endpoint->link.json;
  int64_t elapsed = endpoint->now - connection->stats_at;
  double kbps = elapsed > 0 ? (double)(connection->bytes - connection->bytes_before) * 8000.0 / (double)elapsed : 0;
  connection->bytes_before = connection->bytes;
  connection->stats_at = endpoint->now;
  /* libsrt has no total for this one; each call resets the interval counter. */
  connection->retransmitted += (uint64_t)stats.pktRcvRetrans;
  json_open_object(json);
  json_put_integer(json, connection_is_call(connection) ? "call" : "conn", connection->id);
  json_put_number(json, "rtt", stats.msRTT, 2);
  json_put_integer(json, "bytes", (int64_t)connection->bytes);
  json_put_number(json, "kbps", kbps, 1);
  json_put_number(json, "bandwidth_mbps", stats.mbpsBandwidth, 1);
  if (connection_is_receiver(connection)) {
    note_progress(endpoint, connection, &stats);
    put_receiver(json, connection, &stats);
  } else {
    put_publisher(json, connection, &stats);
  }
  json_close_object(json);
}

static void close_stalled(struct endpoint *endpoint) {
  struct connection *connection;
  TAILQ_FOREACH(connection, &endpoint->connections, entry) {
    if (connection->state != CONNECTION_CONNECTED || !connection_is_receiver(connection)) continue;
    if (endpoint->now - connection->heard_at > SECONDS(STALL_SECONDS))
      connection_close(endpoint, connection, "slow", 0);
  }
}

/* Until the next measurement, the limit's headroom must cover any rise in the stream's rate. */
static void follow_rates(struct endpoint *endpoint) {
  const struct connection *connection;
  feeds_measure(endpoint, endpoint->now - endpoint->stats_at);
  TAILQ_FOREACH(connection, &endpoint->connections, entry) {
    bool is_limited = connection->state == CONNECTION_CONNECTED && connection->is_limited;
    if (is_limited) socket_set_rate(connection->socket, feed_rate(connection->feed));
  }
}

void stats_send(struct endpoint *endpoint) {
  struct connection *connection;
  struct json_writer *json = &endpoint->link.json;
  if (endpoint->now - endpoint->stats_at < SECONDS(1)) return;
  follow_rates(endpoint);
  endpoint->stats_at = endpoint->now;
  endpoint->link.errors_in_second = 0;
  bool any = false;
  TAILQ_FOREACH(connection, &endpoint->connections, entry) any = any || connection->state == CONNECTION_CONNECTED;
  /* One more report after the last connection closes shows the freed memory. */
  if (!any && rings_held() == endpoint->rings_told) return;
  endpoint->rings_told = rings_held();
  link_event(&endpoint->link, "stats");
  json_put_integer(json, "ring_bytes", (int64_t)rings_held());
  json_put_integer(json, "ring_limit", (int64_t)rings_limit());
  json_open_list(json, "list");
  TAILQ_FOREACH(connection, &endpoint->connections, entry) {
    if (connection->state == CONNECTION_CONNECTED) put_connection(endpoint, connection);
  }
  json_close_list(json);
  link_send(&endpoint->link);
  close_stalled(endpoint);
}
