#ifndef SIGNALBOX_ENDPOINT_H
#define SIGNALBOX_ENDPOINT_H

#include <srt/srt.h>
#include <stdbool.h>
#include <stdint.h>

#include "admission.h"
#include "link.h"
#include "ports.h"
#include "ring.h"
#include "sent.h"
#include "ts_scan.h"
#include "ts_sync.h"

enum {
  PROTOCOL_VERSION = 8,
  TICK_US = 4000,
  MAX_CALLS = 256,
  MAX_LEGS = MAX_ADMITTED + MAX_CALLS,
  MAX_FEEDS = 1024,
  MAX_TABLES = 64 << 10,
  MAX_ADDRESSES = 4,
  STALL_SECONDS = 10,
  /* A publisher's first bytes wait this long for the engine to say where they go. */
  LINK_WAIT_MS = 250,
};

/* What the engine, or a publisher linked to it, sends for one channel, kept for those who receive it. */
struct feed {
  uint32_t id;
  uint32_t receivers;
  struct ring ring;
  uint8_t *tables;
  size_t tables_length;
  struct leg *source; /* whose packets come without the engine between, or NULL */
  struct ts_scan scan; /* of those packets */
  int64_t gathered_at; /* since when some of them wait for more; 0 = none do */
  bool is_urgent;      /* they wait no longer */
  uint64_t measured;   /* the ring's head when the rate was measured last */
  /* Bytes per second, the highest of this half minute and of the one before. */
  int64_t rate, rate_before;
};

/* A socket that listens: the common one, or a door. */
struct listener {
  uint32_t id; /* COMMON_LISTENER, or the engine's number of a door */
  SRTSOCKET socket;
  struct port *port;
};

struct listener_options {
  char bind[65];
  uint16_t port;
  int latency;
  int key_length;
  int overhead; /* percent; 0: no limit */
  char passphrase[80];
};

enum leg_kind { LEG_PUBLISHER, LEG_PLAYER, LEG_CALL_SEND, LEG_CALL_RECEIVE };
enum leg_state { LEG_CONNECTING, LEG_CONNECTED, LEG_GONE };

/* A receiver's place in its feed. */
struct cursor {
  bool is_started;
  uint64_t offset;
  uint64_t join_from;  /* entry points before this are too old */
  int64_t waits_since; /* for one, while bytes come; 0: none came yet */
  size_t tables_sent;  /* SIZE_MAX: all */
  int64_t level_at;    /* when it had sent everything there was */
  int64_t rest_at;     /* since when less than a message waits; 0 = nothing does */
  uint64_t allowance;  /* bytes it may lag; more than the bound only while a long picture group is sent at the start */
  uint64_t skips;
  uint64_t skipped_bytes;
};

/* What waits for the engine of a linked publisher, which nobody waits for here. */
struct batch {
  uint8_t *bytes;
  size_t length;
  int64_t at;   /* when the first of them came */
  int64_t time; /* how long they may wait */
  bool is_prompt; /* not once a PES packet begins */
  bool is_urgent; /* one has begun */
};

struct call_options {
  struct sockaddr_storage addresses[MAX_ADDRESSES];
  uint32_t address_count;
  int latency;
  int key_length;
  int overhead;
  char passphrase[80];
  char stream_id[STREAM_ID_MAX + 1];
};

struct leg {
  enum leg_kind kind;
  enum leg_state state;
  uint32_t id; /* of a connection or of a call; two number spaces */
  SRTSOCKET socket;
  struct feed *feed; /* receivers only */
  uint32_t feed_id;
  char peer[PEER_TEXT];
  struct admitted admitted; /* incoming only */
  struct port *port;        /* the same */
  struct cursor cursor;
  int widest_window; /* that its peer had, packets; receivers only */
  struct sent_mark *sent; /* connected receivers only */
  struct ts_sync sync;
  struct feed *linked; /* gets at once what this publisher brings, or NULL */
  struct batch batch;
  int64_t decide_by; /* no bytes are taken from a publisher before this; 0 = the engine has decided */
  bool has_lost; /* bytes were dropped since the last frame to the engine */
  uint64_t bytes;
  uint64_t dropped_bytes;
  /* statistics */
  uint64_t bytes_before;
  int64_t stats_at;
  uint64_t retransmitted;
  int acks;
  bool is_limited; /* its socket sends at a rate relative to the feed's */
  int64_t heard_at; /* media from a publisher, an acknowledgement from a receiver */
  /* calls only */
  struct call_options *call;
  uint32_t address_next;
  int64_t deadline; /* connecting */
};

struct endpoint {
  struct link link;
  int poll_id; /* libsrt's epoll */
  int wake_fd; /* eventfd: other threads have something for the main loop */
  struct listener listeners[MAX_DOORS + 1];
  uint32_t listener_count;
  struct leg *legs[MAX_LEGS];
  uint32_t leg_count;
  uint32_t incoming_count, call_count;
  uint32_t next_connection;
  struct feed *feeds[MAX_FEEDS];
  uint32_t feed_count;
  int64_t now;
  int64_t stats_at;
  uint64_t rings_told; /* what they held in the last report */
  uint32_t seconds; /* measured */
  bool has_forwarded; /* publishers' bytes went to the engine in this tick */
};

/* feeds.c */
struct feed *feed_find(struct endpoint *endpoint, uint32_t id);
struct feed *feed_open(struct endpoint *endpoint, uint32_t id);
void feed_append(struct endpoint *endpoint, const struct wire_frame *frame);
/* Forgets the bytes; receivers stay and wait for the next entry point. */
void feed_drop(struct endpoint *endpoint, uint32_t id);
void feed_release(struct endpoint *endpoint, struct feed *feed);
/* Begins the feed anew with what this publisher brings. */
void feed_link(struct endpoint *endpoint, struct feed *feed, struct leg *source);
/* Its receivers get what is there, but nobody begins with it any more. */
void feed_unlink(struct endpoint *endpoint, struct feed *feed);
/* Whole packets of its source; true when a PES packet begins in them. */
bool feed_take(struct endpoint *endpoint, struct feed *feed, const uint8_t *bytes, size_t length);
/* Nothing in it is urgent, and more will come before its receivers are waiting for it. */
bool feed_is_held(const struct endpoint *endpoint, const struct feed *feed);
/* The highest rate of a second within the last minute, in bytes per second. */
int64_t feed_rate(const struct feed *feed);
/* Once a second, `elapsed` after the last time. */
void feeds_measure(struct endpoint *endpoint, int64_t elapsed);
/* Its receivers were served. */
void feeds_served(struct endpoint *endpoint);
void feeds_free(struct endpoint *endpoint);

/* legs.c */
struct leg *leg_add(struct endpoint *endpoint, enum leg_kind kind, uint32_t id, uint32_t feed_id);
struct leg *leg_by_socket(struct endpoint *endpoint, SRTSOCKET socket);
struct leg *leg_by_connection(struct endpoint *endpoint, uint32_t id);
struct leg *leg_by_call(struct endpoint *endpoint, uint32_t id);
bool leg_is_call(const struct leg *leg);
bool leg_is_receiver(const struct leg *leg);
bool leg_watch(struct endpoint *endpoint, struct leg *leg, int events);
/* Its socket is connected. */
void leg_connected(struct endpoint *endpoint, struct leg *leg);
/* Closes the socket, tells the engine, frees the leg at the end of the tick. */
void leg_close(struct endpoint *endpoint, struct leg *leg, const char *reason, int code);
/* The connection broke: finds out why as well as libsrt lets one. */
void leg_broken(struct endpoint *endpoint, struct leg *leg);
void legs_sweep(struct endpoint *endpoint);
void legs_check_keys(struct endpoint *endpoint);
/* All that came in through this listener. */
void legs_close_door(struct endpoint *endpoint, uint32_t door, const char *reason);

/* listener.c */
/* Opens a listener, or opens it anew, with a rule for the same number; connections stay. Tells the engine. */
void listener_open(struct endpoint *endpoint, const struct listener_options *options, const struct door_rule *rule);
/* Connections stay. */
void listener_close(struct endpoint *endpoint, uint32_t id);
void listeners_close(struct endpoint *endpoint);
/* Takes in who knocked at the listener with this socket, if there is one. */
void listener_accept(struct endpoint *endpoint, SRTSOCKET socket);
/* Handshakes that failed behind the accept hook, and refusals to report. */
void listener_tidy(struct endpoint *endpoint);

/* caller.c */
void caller_start(struct endpoint *endpoint, uint32_t id, uint32_t feed, bool is_sender, struct call_options *options);
void caller_ready(struct endpoint *endpoint, struct leg *leg, int events);

/* publish.c, fanout.c, stats.c, control.c, loop.c */
void publish_receive(struct endpoint *endpoint, struct leg *leg);
/* NULL, or why not. */
const char *publish_link(struct endpoint *endpoint, struct leg *leg, uint32_t feed_id);
/* The engine gets what waits for it; nothing goes to the feed any more. */
void publish_unlink(struct endpoint *endpoint, struct leg *leg);
/* Hands to the engine what has waited long enough. */
void publish_flush_due(struct endpoint *endpoint);
/* Nobody asked a player for data: takes it out of libsrt and forgets it. */
void publish_ignore(struct leg *leg);
void fanout_run(struct endpoint *endpoint);
void fanout_join(struct endpoint *endpoint, struct leg *leg);
void stats_send(struct endpoint *endpoint);
void control_handle(void *endpoint, const struct wire_frame *frame);
/* Runs until the engine or a signal ends it; returns the exit code. */
int loop_run(struct endpoint *endpoint, int signal_fd);

#endif
