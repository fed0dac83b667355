#include "admission.h"

#include <pthread.h>
#include <srt/access_control.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum { MAX_BAD_SECRETS = 64 };

static struct {
  pthread_mutex_t lock;
  struct key_row *rows;
  uint32_t row_count;
  struct admitted admitted[MAX_ADMITTED];
  uint32_t admitted_count;
  uint32_t pending_count;
  SRTSOCKET bad_secret[MAX_BAD_SECRETS];
  uint32_t bad_secret_count;
} state;

/* libsrt asks and fails a handshake on one and the same thread, one at a time. */
static _Thread_local SRTSOCKET asked_last = SRT_INVALID_SOCK;

void admission_init(void) { pthread_mutex_init(&state.lock, NULL); }

void admission_set_keys(struct key_row *rows, uint32_t count) {
  pthread_mutex_lock(&state.lock);
  struct key_row *old = state.rows;
  uint32_t old_count = state.row_count;
  state.rows = rows;
  state.row_count = count;
  pthread_mutex_unlock(&state.lock);
  if (old != NULL) explicit_bzero(old, old_count * sizeof *old);
  free(old);
}

static const char *reason_of(int code) {
  switch (code) {
    case SRT_REJX_UNAUTHORIZED:
      return "unknown key";
    case SRT_REJX_FORBIDDEN:
      return "forbidden";
    case SRT_REJX_CONFLICT:
      return "conflict";
    case SRT_REJX_OVERLOAD:
      return "too many connections";
    default:
      return "bad stream id";
  }
}

/* Walks the whole table whether or not the key was found, so that time tells nothing. */
static const struct key_row *find_row(const char key[KEY_MAX], enum admitted_kind *kind) {
  const struct key_row *found = NULL;
  for (uint32_t i = 0; i < state.row_count; i++) {
    const struct key_row *row = &state.rows[i];
    bool is_push = stream_key_equal(key, row->push);
    bool is_play = stream_key_equal(key, row->play);
    if (is_push || is_play) {
      found = row;
      *kind = is_push ? ADMITTED_PUBLISHER : ADMITTED_PLAYER;
    }
  }
  return found;
}

static bool has_publisher(uint32_t feed) {
  for (uint32_t i = 0; i < state.admitted_count; i++) {
    const struct admitted *other = &state.admitted[i];
    if (other->feed == feed && other->kind == ADMITTED_PUBLISHER) return true;
  }
  return false;
}

static int decide(const struct stream_id *id, struct admitted *out) {
  const struct key_row *row = find_row(id->key, &out->kind);
  if (row == NULL) return SRT_REJX_UNAUTHORIZED;
  if (id->mode == MODE_PUBLISH && out->kind != ADMITTED_PUBLISHER) return SRT_REJX_FORBIDDEN;
  if (id->mode == MODE_REQUEST && out->kind != ADMITTED_PLAYER) return SRT_REJX_FORBIDDEN;
  if (!(out->kind == ADMITTED_PUBLISHER ? row->can_publish : row->can_play)) return SRT_REJX_FORBIDDEN;
  if (out->kind == ADMITTED_PUBLISHER && (row->is_busy || has_publisher(row->feed))) return SRT_REJX_CONFLICT;
  out->feed = row->feed;
  memcpy(out->key, id->key, KEY_MAX);
  return 0;
}

int admission_ask(SRTSOCKET socket, int handshake_version, const struct sockaddr *peer, const char *stream_id) {
  struct admitted fresh = {.socket = socket, .since = clock_us()};
  struct stream_id id;
  /* Handshake version 4 (libsrt before 1.3) carries no stream id. */
  int code = handshake_version >= 5 ? stream_id_parse(stream_id, &id) : SRT_REJX_BAD_REQUEST;
  peer_text(peer, fresh.peer);
  asked_last = socket;
  pthread_mutex_lock(&state.lock);
  if (code == 0 && state.admitted_count == MAX_ADMITTED) code = SRT_REJX_OVERLOAD;
  if (code == 0) code = decide(&id, &fresh);
  if (code == 0) {
    state.admitted[state.admitted_count++] = fresh;
    state.pending_count++;
  } else {
    refusal_add(fresh.peer, reason_of(code), code, fresh.since);
  }
  pthread_mutex_unlock(&state.lock);
  return code;
}

void admission_note_bad_secret(void) {
  pthread_mutex_lock(&state.lock);
  if (state.bad_secret_count < MAX_BAD_SECRETS) state.bad_secret[state.bad_secret_count++] = asked_last;
  pthread_mutex_unlock(&state.lock);
}

static struct admitted *find(SRTSOCKET socket) {
  for (uint32_t i = 0; i < state.admitted_count; i++) {
    if (state.admitted[i].socket == socket) return &state.admitted[i];
  }
  return NULL;
}

static void remove_entry(struct admitted *entry) {
  if (!entry->is_accepted) state.pending_count--;
  *entry = state.admitted[--state.admitted_count];
}

static bool is_current(const struct admitted *admitted) {
  enum admitted_kind kind = ADMITTED_PLAYER;
  const struct key_row *row = find_row(admitted->key, &kind);
  if (row == NULL || row->feed != admitted->feed || kind != admitted->kind) return false;
  return kind == ADMITTED_PUBLISHER ? row->can_publish : row->can_play;
}

bool admission_accept(SRTSOCKET socket, struct admitted *out) {
  pthread_mutex_lock(&state.lock);
  struct admitted *entry = find(socket);
  bool ok = entry != NULL && !entry->is_accepted && is_current(entry);
  if (ok) {
    entry->is_accepted = true;
    state.pending_count--;
    *out = *entry;
  } else if (entry != NULL) {
    remove_entry(entry);
  }
  pthread_mutex_unlock(&state.lock);
  return ok;
}

void admission_release(SRTSOCKET socket) {
  pthread_mutex_lock(&state.lock);
  struct admitted *entry = find(socket);
  if (entry != NULL) remove_entry(entry);
  pthread_mutex_unlock(&state.lock);
}

bool admission_is_current(const struct admitted *admitted) {
  pthread_mutex_lock(&state.lock);
  bool ok = is_current(admitted);
  pthread_mutex_unlock(&state.lock);
  return ok;
}

uint32_t admission_pending(SRTSOCKET out[MAX_ADMITTED]) {
  uint32_t count = 0;
  pthread_mutex_lock(&state.lock);
  for (uint32_t i = 0; i < state.admitted_count && state.pending_count > 0; i++) {
    if (!state.admitted[i].is_accepted) out[count++] = state.admitted[i].socket;
  }
  pthread_mutex_unlock(&state.lock);
  return count;
}

static bool take_bad_secret(SRTSOCKET socket) {
  for (uint32_t i = 0; i < state.bad_secret_count; i++) {
    if (state.bad_secret[i] != socket) continue;
    state.bad_secret[i] = state.bad_secret[--state.bad_secret_count];
    return true;
  }
  return false;
}

void admission_drop_pending(SRTSOCKET socket, bool is_encrypted) {
  pthread_mutex_lock(&state.lock);
  struct admitted *entry = find(socket);
  if (entry != NULL && !entry->is_accepted) {
    /* With a passphrase set, nearly every handshake that fails this late fails for it. */
    bool secret = take_bad_secret(socket) || is_encrypted;
    const char *reason = secret ? "bad passphrase" : "handshake failed";
    refusal_add(entry->peer, reason, secret ? SRT_REJ_BADSECRET : SRT_REJ_UNKNOWN, clock_us());
    remove_entry(entry);
  }
  if (state.pending_count == 0) state.bad_secret_count = 0;
  pthread_mutex_unlock(&state.lock);
}

bool admission_has_pending(void) {
  pthread_mutex_lock(&state.lock);
  bool any = state.pending_count > 0;
  pthread_mutex_unlock(&state.lock);
  return any;
}
