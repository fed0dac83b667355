#include "admission.h"

#include <pthread.h>
#include <srt/access_control.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "guesses.h"
#include "refusals.h"

static struct {
  pthread_mutex_t lock;
  struct key_row *rows;
  uint32_t row_count;
  struct listener_rule rules[MAX_DEDICATED_LISTENERS + 1];
  uint32_t rule_count;
  struct admitted admitted[MAX_ADMITTED];
  uint32_t admitted_count;
  _Atomic uint32_t pending_count; /* changed with the lock only */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* libsrt calls the hook and fails the handshake on the same thread (one per port), one at a time. */
static _Thread_local SRTSOCKET asked_last = SRT_INVALID_SOCK;

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

static struct listener_rule *find_rule(uint32_t listener) {
  for (uint32_t i = 0; i < state.rule_count; i++) {
    if (state.rules[i].listener == listener) return &state.rules[i];
  }
  return NULL;
}

bool admission_open_listener(const struct listener_rule *rule) {
  pthread_mutex_lock(&state.lock);
  struct listener_rule *place = find_rule(rule->listener);
  /* One place is for the common listener. */
  const bool is_reserved = rule->listener != COMMON_LISTENER && find_rule(COMMON_LISTENER) == NULL;
  const uint32_t max = is_reserved ? MAX_DEDICATED_LISTENERS : MAX_DEDICATED_LISTENERS + 1;
  if (place == NULL && state.rule_count < max) place = &state.rules[state.rule_count++];
  if (place != NULL) *place = *rule;
  pthread_mutex_unlock(&state.lock);
  return place != NULL;
}

void admission_close_listener(uint32_t listener) {
  pthread_mutex_lock(&state.lock);
  struct listener_rule *rule = find_rule(listener);
  if (rule != NULL) {
    *rule = state.rules[--state.rule_count];
    explicit_bzero(&state.rules[state.rule_count], sizeof *rule);
  }
  pthread_mutex_unlock(&state.lock);
}

static const char too_many_wrong[] = "too many wrong keys";

static const char *reason_of(int code, uint32_t listener) {
  switch (code) {
    case SRT_REJX_UNAUTHORIZED:
      return listener == COMMON_LISTENER ? "unknown key" : "wrong stream id";
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

/* Walks the whole table whether or not the key was found, to take constant time. */
static const struct key_row *find_row(const char key[KEY_MAX], enum admitted_kind *kind) {
  const struct key_row *found = NULL;
  for (uint32_t i = 0; i < state.row_count; i++) {
    const struct key_row *row = &state.rows[i];
    /* Either key of a row may be missing. */
    bool is_push = stream_key_equal(key, row->push) & (row->push[0] != '\0');
    bool is_play = stream_key_equal(key, row->play) & (row->play[0] != '\0');
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

static int decide_by_key(const struct stream_id *id, struct admitted *out) {
  const struct key_row *row = find_row(id->key, &out->kind);
  if (row == NULL) return SRT_REJX_UNAUTHORIZED;
  if (id->mode == MODE_PUBLISH && out->kind != ADMITTED_PUBLISHER) return SRT_REJX_FORBIDDEN;
  if (id->mode == MODE_REQUEST && out->kind != ADMITTED_PLAYER) return SRT_REJX_FORBIDDEN;
  if (!(out->kind == ADMITTED_PUBLISHER ? row->can_publish : row->can_play)) return SRT_REJX_FORBIDDEN;
  const bool is_taken = row->is_busy || (has_publisher(row->feed) && !row->may_replace);
  if (out->kind == ADMITTED_PUBLISHER && is_taken) return SRT_REJX_CONFLICT;
  out->feed = row->feed;
  memcpy(out->key, id->key, KEY_MAX);
  return 0;
}

/* Stream ids are compared over their full width, to take constant time. */
static bool is_expected(const struct listener_rule *rule, const char *stream_id) {
  unsigned difference = 0;
  size_t length = strnlen(stream_id, STREAM_ID_MAX);
  for (size_t i = 0; i < STREAM_ID_MAX; i++) {
    difference |= (unsigned)(unsigned char)(rule->stream_id[i] ^ (i < length ? stream_id[i] : '\0'));
  }
  return rule->stream_id[0] == '\0' || difference == 0;
}

static int decide_at_listener(const struct listener_rule *rule, const char *stream_id, struct admitted *out) {
  uint32_t inside = 0;
  for (uint32_t i = 0; i < state.admitted_count; i++) inside += state.admitted[i].listener == rule->listener ? 1 : 0;
  if (!is_expected(rule, stream_id)) return SRT_REJX_UNAUTHORIZED;
  if (inside >= rule->max) return rule->kind == ADMITTED_PUBLISHER ? SRT_REJX_CONFLICT : SRT_REJX_OVERLOAD;
  out->kind = rule->kind;
  out->feed = rule->feed;
  return 0;
}

static int decide(uint32_t listener, int handshake_version, const char *stream_id, struct admitted *out) {
  const struct listener_rule *rule = find_rule(listener);
  /* The listener is being closed. */
  if (rule == NULL) return SRT_REJX_NOTFOUND;
  if (state.admitted_count == MAX_ADMITTED) return SRT_REJX_OVERLOAD;
  if (listener != COMMON_LISTENER) return decide_at_listener(rule, stream_id, out);
  struct stream_id id;
  /* Handshake version 4 (libsrt before 1.3) carries no stream id. */
  int code = handshake_version >= 5 ? stream_id_parse(stream_id, &id) : SRT_REJX_BAD_REQUEST;
  return code == 0 ? decide_by_key(&id, out) : code;
}

/* The same answer for a valid key as for a wrong one, unless it was valid from this host before. */
static bool is_key_looked_at(const union address *peer, int code, const struct admitted *fresh) {
  struct guess_host host = guess_host_of(peer);
  if (!guess_is_looked_at(&host, code == 0 ? fresh->feed : 0, (int)fresh->kind, fresh->since)) return false;
  if (code == SRT_REJX_UNAUTHORIZED) guess_was_wrong(&host, fresh->since);
  if (code == 0) guess_was_right(&host, fresh->feed, (int)fresh->kind, fresh->since);
  return true;
}

int admission_ask(SRTSOCKET socket, uint32_t listener, int handshake_version, const struct sockaddr *peer,
                  const char *stream_id) {
  struct admitted fresh = {.socket = socket, .listener = listener, .since = clock_us()};
  const union address address = address_of_peer(peer);
  address_text(&address, fresh.peer);
  asked_last = socket;
  pthread_mutex_lock(&state.lock);
  int code = decide(listener, handshake_version, stream_id, &fresh);
  bool is_looked_at = listener != COMMON_LISTENER || is_key_looked_at(&address, code, &fresh);
  if (!is_looked_at) {
    code = SRT_REJX_OVERLOAD;
    refusal_add(listener, fresh.peer, too_many_wrong, code, fresh.since);
  } else if (code == 0) {
    state.admitted[state.admitted_count++] = fresh;
    state.pending_count++;
  } else if (code != SRT_REJX_NOTFOUND) {
    refusal_add(listener, fresh.peer, reason_of(code, listener), code, fresh.since);
  }
  pthread_mutex_unlock(&state.lock);
  return code;
}

static struct admitted *find(SRTSOCKET socket) {
  for (uint32_t i = 0; i < state.admitted_count; i++) {
    if (state.admitted[i].socket == socket) return &state.admitted[i];
  }
  return NULL;
}

void admission_note_bad_secret(void) {
  pthread_mutex_lock(&state.lock);
  struct admitted *entry = find(asked_last);
  if (entry != NULL) entry->has_bad_secret = true;
  pthread_mutex_unlock(&state.lock);
}

static void remove_entry(struct admitted *entry) {
  if (!entry->is_accepted) state.pending_count--;
  *entry = state.admitted[--state.admitted_count];
}

static bool is_current(const struct admitted *admitted) {
  if (admitted->listener != COMMON_LISTENER) return find_rule(admitted->listener) != NULL;
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

void admission_drop_pending(SRTSOCKET socket) {
  pthread_mutex_lock(&state.lock);
  struct admitted *entry = find(socket);
  if (entry != NULL && !entry->is_accepted) {
    /* With a passphrase set, nearly all handshakes that fail this late fail because of it. */
    const struct listener_rule *rule = find_rule(entry->listener);
    bool secret = entry->has_bad_secret || (rule != NULL && rule->is_encrypted);
    const char *reason = secret ? "bad passphrase" : "handshake failed";
    refusal_add(entry->listener, entry->peer, reason, secret ? SRT_REJ_BADSECRET : SRT_REJ_UNKNOWN, clock_us());
    remove_entry(entry);
  }
  pthread_mutex_unlock(&state.lock);
}

bool admission_has_pending(void) { return state.pending_count > 0; }
