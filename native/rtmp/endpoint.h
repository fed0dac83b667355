#ifndef SIGNALBOX_RTMP_ENDPOINT_H
#define SIGNALBOX_RTMP_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "chunks.h"
#include "link.h"
#include "sent_log.h"

enum { PROTOCOL_VERSION = 2, MAX_CONNECTIONS = 1024, MAX_HEADERS = 3, HEADER_BYTES_MAX = 4096, SET_BYTES_MAX = 256 };

/* What the event loop waits for. The first member of everything that has a descriptor in it. */
struct watched {
  enum watched_kind { WATCHED_ENGINE, WATCHED_SIGNAL, WATCHED_PUBLISHER, WATCHED_PLAYER } kind;
  int fd; /* -1 once its connection is gone */
};

/* One type of a publisher's frames: their format, and how their timestamps become those of the channel. */
struct track {
  bool is_known;
  uint32_t format; /* frames.h */
  uint32_t timestamp; /* of the last frame */
  uint32_t offset;    /* is added modulo 2^32 */
};

/* A sequence header or metadata that all players have. */
struct header {
  uint8_t type;
  size_t length;
  uint8_t *body;
};

/* Totals of what a publisher has sent to this program. */
struct totals {
  uint64_t received;     /* bytes of the connection */
  uint64_t bytes;        /* bytes of messages */
  uint64_t video, audio; /* number of frames */
};

/* The state at a point between two messages, from which another parser can continue. */
struct place {
  struct chunk_stream streams[CHUNK_STREAMS]; /* without their buffers */
  size_t stream_count;
  uint64_t message;                /* number of the next message in the log */
  uint32_t audio_time, video_time; /* timestamps of the last frames */
  struct totals totals;            /* of everything before this point */
};

struct player {
  struct watched watched;
  TAILQ_ENTRY(player) entry;
  struct publisher *publisher;
  uint32_t id;
  uint64_t at; /* next byte to send, as an offset in the publisher's log */
  uint64_t bytes;
  int64_t behind_since; /* 0: it has everything */
  const char *leaves;   /* why it returns to the engine once the engine has what it lacks; NULL: it stays */
};

struct publisher {
  struct watched watched;
  TAILQ_ENTRY(publisher) entry;
  TAILQ_HEAD(, player) players;
  uint32_t id;
  struct chunks chunks;
  struct track audio, video;
  struct header headers[MAX_HEADERS];
  size_t header_count;
  struct sent_log log;
  uint8_t carry[CHUNK_HEADER_MAX]; /* a header that the last read cut off */
  size_t carry_length;
  /* What the engine gets (batch.c). */
  uint8_t *batch; /* received bytes that the engine does not have */
  size_t batch_length, batch_capacity;
  bool is_read;         /* the engine gets all bytes; otherwise only when it needs the stream */
  bool is_skipping;     /* the engine lacks bytes before the batch, which begins at `group` */
  bool is_urgent;       /* the batch must not wait */
  struct place place;   /* the newest point between two messages */
  struct place group;   /* the point before the newest keyframe */
  uint64_t passed_from; /* number of the message from which on the engine has all that was passed */
  uint8_t set[SET_BYTES_MAX]; /* beginning of the newest parameter set within a keyframe */
  size_t set_length;
  struct totals totals;
  bool is_paused;     /* the engine is too far behind */
  bool is_dropped;    /* the engine has closed the connection */
  const char *leaves; /* why it returns to the engine once the engine has the batch; NULL: it stays */
  size_t leaving_count; /* of its players */
  /* How many bytes must arrive before the socket is read (read_mark.c). */
  int mark;
  int64_t read_all_at; /* 0: all is read already */
  bool has_picture;    /* since the last read that ended with a message */
  double smallest_picture;
};

struct endpoint {
  struct link link;
  struct watched engine, signal;
  int poll_fd;
  TAILQ_HEAD(, publisher) publishers;
  /* Closed ones are freed after the events that may still name them. */
  TAILQ_HEAD(, publisher) gone_publishers;
  TAILQ_HEAD(, player) gone_players;
  uint32_t connection_count;
  size_t batches_bytes; /* of memory for all batches */
  int64_t now;
  int64_t second_at;
};

/* publishers.c */
struct publisher *publisher_find(struct endpoint *endpoint, uint32_t id);
/* Takes over a publisher with the state of its connection, and its descriptor. */
void publisher_open(struct endpoint *endpoint, struct publisher *publisher, int fd);
void publisher_read(struct endpoint *endpoint, struct publisher *publisher);
/* Returns this connection and its players to the engine once the engine has all received bytes. */
void publisher_return(struct endpoint *endpoint, struct publisher *publisher, const char *reason);
/* The same, but the engine has closed the connection: it reads no more of the stream. */
void publisher_drop(struct endpoint *endpoint, struct publisher *publisher);
void publisher_free(struct publisher *publisher);
void publishers_run(struct endpoint *endpoint);
/* When publishers_run must be called next; INT64_MAX: not before something arrives. */
int64_t publishers_due(const struct endpoint *endpoint);

/* batch.c */
void batch_add(struct endpoint *endpoint, struct publisher *publisher, const uint8_t *bytes, size_t length);
void batch_free(struct endpoint *endpoint, struct publisher *publisher);
/* Passes the largest batches to the engine while all of them together take too much memory. Returns false if they still
   do, because the engine is too far behind. */
bool batches_fit(struct endpoint *endpoint);
/* Sends the batch to the engine, as far as the engine accepts it. */
void batch_flush(struct endpoint *endpoint, struct publisher *publisher);
/* Call after each message. `left`: how many of the added bytes follow the message. */
void batch_note_place(struct publisher *publisher, size_t left);
/* Call at a keyframe: a group of pictures begins with the message after the last noted place, or soon after it. */
void batch_begin_group(struct endpoint *endpoint, struct publisher *publisher);

/* players.c */
struct player *player_find(struct endpoint *endpoint, uint32_t id);
/* Takes over the descriptor of a player that has all messages before this one. Returns false, and closes the
   descriptor, if that message is not held. */
bool player_open(struct endpoint *endpoint, struct publisher *publisher, uint32_t id, uint64_t message, int fd);
void player_send(struct endpoint *endpoint, struct player *player);
/* Sends what is new to all players of this publisher, and returns those that are too slow. */
void players_run(struct endpoint *endpoint, struct publisher *publisher);
/* Sends nothing more to the player. Returns it once the engine has taken what the player lacks and the engine has not
   received. */
void player_return(struct endpoint *endpoint, struct player *player, const char *reason);
/* Returns those that wait to be returned; all, if the publisher leaves. Returns false if the engine must take something
   first. */
bool players_leave(struct endpoint *endpoint, struct publisher *publisher);
/* Whether the publisher must wait, since one of them lacks much and waits to be returned. */
bool players_must_leave_first(const struct publisher *publisher);
void player_close(struct endpoint *endpoint, struct player *player);

/* read_mark.c */
void read_mark_picture(struct publisher *publisher, size_t bytes);
/* Called after each read. */
void read_mark_adjust(struct endpoint *endpoint, struct publisher *publisher);
void read_mark_clear(struct publisher *publisher);

/* control.c, loop.c */
void put_totals(struct json_writer *json, uint32_t id, const struct totals *totals);
void control_handle(struct endpoint *endpoint, const struct wire_frame *frame);
/* `events`: of epoll(7). */
bool loop_watch(struct endpoint *endpoint, struct watched *watched, uint32_t events);
void loop_change(struct endpoint *endpoint, struct watched *watched, uint32_t events);
/* Stops watching and closes the descriptor. */
void loop_close(struct endpoint *endpoint, struct watched *watched);
int loop_run(struct endpoint *endpoint, int signal_fd);

#endif
