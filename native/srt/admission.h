#ifndef SIGNALBOX_ADMISSION_H
#define SIGNALBOX_ADMISSION_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <srt/srt.h>

#include "refusals.h"
#include "stream_id.h"

/* Who may connect: the key table of the common listener, the rules of doors, and the connections admitted by them.
   libsrt's threads ask here during a handshake, the main loop changes tables and rules; one mutex guards all of it and
   is never held while libsrt is called. */

enum { MAX_ADMITTED = 512, MAX_KEYS = 4096, MAX_DOORS = 256, COMMON_LISTENER = 0 };

enum admitted_kind { ADMITTED_PUBLISHER, ADMITTED_PLAYER };

struct key_row {
  uint32_t feed;
  char push[KEY_MAX]; /* all zero: none */
  char play[KEY_MAX];
  bool can_publish;
  bool can_play;
  bool is_busy; /* published over another protocol */
  bool may_replace; /* a newer publisher takes the place of the one that is there */
};

/* Whom a listener lets in. Of the common one only `is_encrypted` counts; the rest is up to the key table. */
struct door_rule {
  uint32_t door; /* COMMON_LISTENER, or the engine's number */
  uint32_t feed;
  enum admitted_kind kind;
  uint32_t max; /* connections at a time */
  bool is_encrypted;
  char stream_id[STREAM_ID_MAX + 1]; /* zero-padded; empty: anybody */
};

struct admitted {
  SRTSOCKET socket;
  uint32_t door;
  uint32_t feed;
  enum admitted_kind kind;
  bool is_accepted; /* srt_accept has returned it */
  int64_t since;
  char key[KEY_MAX]; /* of the common listener only */
  char peer[PEER_TEXT];
};

void admission_init(void);

/* Replaces the whole table. `rows` is taken over and freed by the next call. */
void admission_set_keys(struct key_row *rows, uint32_t count);

/* From now on this listener asks; replaces the rule of the same number. False: too many doors. */
bool admission_open_door(const struct door_rule *rule);
/* Nobody comes in any more. Those who are in keep their places until they are released. */
void admission_close_door(uint32_t door);

/* On libsrt's thread. Returns 0 and remembers the socket, or the code to reject with. */
int admission_ask(SRTSOCKET socket, uint32_t door, int handshake_version, const struct sockaddr *peer,
                  const char *stream_id);
/* On libsrt's thread: the handshake of the socket asked about last failed for its passphrase. */
void admission_note_bad_secret(void);

/* The main loop: a socket came out of srt_accept. False when it was not admitted, or no longer is. */
bool admission_accept(SRTSOCKET socket, struct admitted *out);
void admission_release(SRTSOCKET socket);
/* True while the key with which this was admitted is still good for it, and its door open. */
bool admission_is_current(const struct admitted *admitted);
/* Copies the sockets that wait between handshake and accept. */
uint32_t admission_pending(SRTSOCKET out[MAX_ADMITTED]);
/* A pending handshake that came to nothing: frees its place and records why. */
void admission_drop_pending(SRTSOCKET socket);
bool admission_has_pending(void);

#endif
