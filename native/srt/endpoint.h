#ifndef SIGNALBOX_ENDPOINT_H
#define SIGNALBOX_ENDPOINT_H

#include <srt/srt.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "address.h"
#include "admission.h"
#include "link.h"
#include "ports.h"
#include "ring.h"
#include "sent.h"
#include "sockets.h"
#include "ts_scan.h"
#include "ts_sync.h"

enum {
  PROTOCOL_VERSION = 9,
  TICK_US = 4000,
  MAX_FEEDS = 1024,
  MAX_TABLES = 64 << 10,
  MAX_ADDRESSES = 4,
  STALL_SECONDS = 10,
  /* A publisher's first bytes wait this long for the engine to decide where they go. */
  LINK_WAIT_MS = 250,
};

/* The stream of one channel from the engine or a linked publisher, kept for its receivers. */
struct feed {
  LIST_ENTRY(feed) entry;
  uint32_t id;
  uint32_t receivers;
  struct ring ring;
  uint8_t *tables;
  size_t tables_length;
  struct connection *source; /* sends its packets directly, bypassing the engine; or NULL */
  struct ts_scan scan; /* of those packets */
  int64_t gathered_at; /* when the oldest packet that waits for more arrived; 0: none waits */
  bool is_urgent;      /* send them now */
  uint64_t measured;   /* the ring's head at the last rate measurement */
  /* Bytes per second, the maximum of this half minute and of the previous one. */
  int64_t rate, rate_before;
};

/* A listening socket: common or dedicated. */
struct listener {
  uint32_t id; /* COMMON_LISTENER, or the engine's number of a dedicated listener */
  SRTSOCKET socket;
  struct port *port;
};

struct listener_options {
  char bind[65];
  uint16_t port;
  struct socket_options socket;
};

enum connection_kind { CONNECTION_PUBLISHER, CONNECTION_PLAYER, CONNECTION_CALL_SEND, CONNECTION_CALL_RECEIVE };
enum connection_state { CONNECTION_CONNECTING, CONNECTION_CONNECTED, CONNECTION_GONE };

/* A receiver's position in its feed. */
struct cursor {
  bool is_started;
  uint64_t offset;
  uint64_t join_from;  /* random access points before this are too old */
  int64_t waits_since; /* waiting for one since this time, while bytes arrive; 0: none arrived yet */
  size_t tables_sent;  /* SIZE_MAX: all */
  int64_t level_at;    /* when it had last sent everything available */
  int64_t rest_at;     /* since when less than a message waits; 0: nothing waits */
  uint64_t allowance;  /* permitted lag in bytes; above the limit only while a long GOP is sent at the start */
  uint64_t skips;
  uint64_t skipped_bytes;
};

/* A linked publisher's data for the engine, which no receiver here waits for. */
struct batch {
  uint8_t *bytes;
  size_t length;
  int64_t at;   /* when the first of them arrived */
  int64_t time; /* how long they may wait */
  bool is_prompt; /* do not wait once a PES packet begins */
  bool is_urgent; /* one has started */
};

struct call_options {
  union address addresses[MAX_ADDRESSES];
  uint32_t address_count;
  struct socket_options socket;
  char stream_id[STREAM_ID_MAX + 1];
};

struct connection {
  TAILQ_ENTRY(connection) entry;
  enum connection_kind kind;
  enum connection_state state;
  uint32_t id; /* of a connection or of a call; separate number spaces */
  SRTSOCKET socket;
  struct feed *feed; /* receivers only */
  uint32_t feed_id;
  char peer[ADDRESS_TEXT];
  struct admitted admitted; /* incoming only */
  struct port *port;        /* incoming only */
  struct cursor cursor;
  int widest_window; /* the peer's largest window, in packets; receivers only */
  struct sent_mark *sent; /* connected receivers only */
  struct ts_sync sync;
  struct feed *linked; /* gets this publisher's data directly, or NULL */
  struct batch batch;
  int64_t decide_by; /* no bytes are taken from a publisher before this; 0: the engine has decided */
  bool has_lost; /* bytes were dropped since the last frame to the engine */
  uint64_t bytes;
  uint64_t dropped_bytes;
  /* statistics */
  uint64_t bytes_before;
  int64_t stats_at;
  uint64_t retransmitted;
  int acks;
  bool is_limited; /* its socket's rate limit is relative to the feed's rate */
  int64_t heard_at; /* media from a publisher, an acknowledgment from a receiver */
  /* calls only */
  struct call_options *call;
  uint32_t address_next;
  int64_t deadline; /* connecting */
};

struct endpoint {
  struct link link;
  int poll_id; /* libsrt's epoll */
  int wake_fd; /* eventfd: other threads have something for the main loop */
  struct listener listeners[MAX_DEDICATED_LISTENERS + 1];
  uint32_t listener_count;
  TAILQ_HEAD(, connection) connections;
  uint32_t connection_count, call_count;
  uint32_t next_connection;
  LIST_HEAD(, feed) feeds;
  uint32_t feed_count;
  int64_t now;
  int64_t stats_at;
  uint64_t rings_told; /* the rings' total in the last report */
  uint32_t seconds; /* seconds measured */
  bool has_forwarded; /* publishers' bytes were sent to the engine in this tick */
};

static inline bool connection_is_call(const struct connection *connection) {
  return connection->kind == CONNECTION_CALL_SEND || connection->kind == CONNECTION_CALL_RECEIVE;
}
static inline bool connection_is_receiver(const struct connection *connection) {
  return connection->kind == CONNECTION_PLAYER || connection->kind == CONNECTION_CALL_SEND;
}

/* Each of these files calls only those above it; loop.c and main.c call them all. */

/* feeds.c */
struct feed *feed_find(struct endpoint *endpoint, uint32_t id);
struct feed *feed_open(struct endpoint *endpoint, uint32_t id);
void feed_append(struct endpoint *endpoint, const struct wire_frame *frame);
/* Discards the bytes; receivers stay and wait for the next random access point. */
void feed_drop(struct endpoint *endpoint, uint32_t id);
void feed_release(struct endpoint *endpoint, struct feed *feed);
/* The receiver continues with the newest data of its feed. */
void feed_join(struct endpoint *endpoint, struct connection *receiver);
/* Restarts the feed with this publisher's data. Returns NULL or the error. */
const char *feed_link(struct endpoint *endpoint, uint32_t id, struct connection *source);
/* Sends the publisher's pending data to the engine, and ends a link: receivers get the remaining data, but new ones do
   not start with it. */
void feed_unlink(struct endpoint *endpoint, struct connection *source);
/* Takes whole packets from its source; returns true if a PES packet begins in them. */
bool feed_take(struct endpoint *endpoint, struct feed *feed, const uint8_t *bytes, size_t length);
/* Whether nothing in it is urgent and more data can still arrive before its receivers need it. */
bool feed_is_held(const struct endpoint *endpoint, const struct feed *feed);
/* The highest rate in any second of the last minute, in bytes per second. */
int64_t feed_rate(const struct feed *feed);
/* Once a second, `elapsed` after the last time. */
void feeds_measure(struct endpoint *endpoint, int64_t elapsed);
/* The feed's receivers were served. */
void feeds_served(struct endpoint *endpoint);
void feeds_free(struct endpoint *endpoint);
/* Flags of a publisher's data frame. */
uint8_t batch_flags(const struct connection *source);
/* Sends a linked publisher's data to the engine. */
void batch_flush(struct endpoint *endpoint, struct connection *source);
/* Sends what has waited long enough. */
void batches_flush_due(struct endpoint *endpoint);

/* connections.c */
struct connection *connection_add(struct endpoint *endpoint, enum connection_kind kind, uint32_t id, uint32_t feed_id);
struct connection *connection_by_socket(struct endpoint *endpoint, SRTSOCKET socket);
/* Calls and connections are numbered separately. */
struct connection *connection_find(struct endpoint *endpoint, uint32_t id, bool is_call);
bool connection_watch(struct endpoint *endpoint, struct connection *connection, int events);
/* The connection's socket is connected: tells the engine and starts to serve it. */
void connection_connected(struct endpoint *endpoint, struct connection *connection);
/* Closes the socket, tells the engine, and frees the connection at the end of the tick. */
void connection_close(struct endpoint *endpoint, struct connection *connection, const char *reason, int code);
/* Tells the engine why a call ended; `state` is `failed` if it was never connected, else `closed`. */
void call_ended(struct endpoint *endpoint, uint32_t id, const char *state, const char *reason, int code);
/* The connection broke: determines the reason as far as libsrt permits. */
void connection_broken(struct endpoint *endpoint, struct connection *connection);
void connections_sweep(struct endpoint *endpoint);
void connections_check_keys(struct endpoint *endpoint);
/* Closes all connections that came in through this listener. */
void connections_close_door(struct endpoint *endpoint, uint32_t listener, const char *reason);

/* listener.c */
/* Opens or reopens a listener, with a rule of the same number; connections stay. Tells the engine. */
void listener_open(struct endpoint *endpoint, const struct listener_options *options, const struct listener_rule *rule);
/* Connections stay. */
void listener_close(struct endpoint *endpoint, uint32_t id);
void listeners_close(struct endpoint *endpoint);
/* Accepts the callers of the listener with this socket, if it exists. */
void listener_accept(struct endpoint *endpoint, SRTSOCKET socket);
/* Handshakes that failed after the accept hook, and refusals to report. */
void listener_tidy(struct endpoint *endpoint);

/* caller.c */
void caller_start(struct endpoint *endpoint, uint32_t id, uint32_t feed, bool is_sender, struct call_options *options);
void caller_ready(struct endpoint *endpoint, struct connection *connection, int events);

/* publish.c, fanout.c, stats.c, control.c, loop.c */
void publish_receive(struct endpoint *endpoint, struct connection *connection);
/* Players should not send data: reads it from libsrt and discards it. */
void publish_ignore(struct connection *connection);
void fanout_run(struct endpoint *endpoint);
void stats_send(struct endpoint *endpoint);
void control_handle(struct endpoint *endpoint, const struct wire_frame *frame);
/* Runs until the engine or a signal ends it; returns the exit code. */
int loop_run(struct endpoint *endpoint, int signal_fd);

#endif
