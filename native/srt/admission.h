#ifndef SIGNALBOX_ADMISSION_H
#define SIGNALBOX_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>
#include <srt/srt.h>

#include "address.h"
#include "stream_id.h"

/* Admission control: the key table of the common listener, the rules of dedicated listeners, and the connections that
   they admitted. libsrt's threads query it during a handshake, the main loop changes tables and rules; one mutex guards
   everything and is never held while libsrt is called. */

enum { MAX_ADMITTED = 512, MAX_CALLS = 256, MAX_CONNECTIONS = MAX_ADMITTED + MAX_CALLS };
enum { MAX_KEYS = 4096, MAX_DEDICATED_LISTENERS = 256, COMMON_LISTENER = 0 };

enum admitted_kind { ADMITTED_PUBLISHER, ADMITTED_PLAYER };

struct key_row {
  uint32_t feed;
  char push[KEY_MAX]; /* all zero: none */
  char play[KEY_MAX];
  bool can_publish;
  bool can_play;
  bool is_busy; /* published over another protocol */
  bool may_replace; /* a newer publisher replaces the current one */
};

/* The admission rule of a listener. Of the common one only `is_encrypted` is used; the key table decides the rest. */
struct listener_rule {
  uint32_t listener; /* COMMON_LISTENER, or the engine's number */
  uint32_t feed;
  enum admitted_kind kind;
  uint32_t max; /* simultaneous connections */
  bool is_encrypted;
  char stream_id[STREAM_ID_MAX + 1]; /* zero-padded; empty: any */
};

struct admitted {
  SRTSOCKET socket;
  uint32_t listener;
  uint32_t feed;
  enum admitted_kind kind;
  bool is_accepted; /* srt_accept has returned it */
  bool has_bad_secret; /* its handshake failed because of its passphrase */
  int64_t since;
  char key[KEY_MAX]; /* common listener only */
  char peer[ADDRESS_TEXT];
};

/* Replaces the whole table. `rows` is taken over and freed by the next call. */
void admission_set_keys(struct key_row *rows, uint32_t count);

/* Adds a listener; replaces the rule with the same number. Returns false if there are too many dedicated listeners. */
bool admission_open_listener(const struct listener_rule *rule);
/* Admits no more connections. Existing ones keep their slots until they are released. */
void admission_close_listener(uint32_t listener);

/* Called on libsrt's thread. Returns 0 and remembers the socket, or the code to reject with. */
int admission_ask(SRTSOCKET socket, uint32_t listener, int handshake_version, const struct sockaddr *peer,
                  const char *stream_id);
/* Called on libsrt's thread: the handshake of the socket last asked about failed because of its passphrase. */
void admission_note_bad_secret(void);

/* Called by the main loop for a socket from srt_accept. Returns false if it was not admitted, or no longer is. */
bool admission_accept(SRTSOCKET socket, struct admitted *out);
void admission_release(SRTSOCKET socket);
/* Whether the key that admitted this is still valid for it, and its dedicated listener still open. */
bool admission_is_current(const struct admitted *admitted);
/* Copies the sockets that are between handshake and accept. */
uint32_t admission_pending(SRTSOCKET out[MAX_ADMITTED]);
/* A pending handshake failed: frees its slot and records the reason. */
void admission_drop_pending(SRTSOCKET socket);
bool admission_has_pending(void);

#endif
