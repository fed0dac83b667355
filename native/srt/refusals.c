#include "refusals.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"

enum { SLOTS = 64, REPORT_EVERY_MS = 1000, REPORTS_PER_SECOND = 20 };

struct slot {
  struct refusal refusal;
  int64_t reported_at;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot slots[SLOTS];
static _Atomic uint32_t waiting; /* written only under lock */
static int64_t second_began;
static uint32_t reported_in_second;

static bool is_same(const struct refusal *known, uint32_t listener, const char *peer, const char *reason) {
  size_t host = (size_t)(strrchr(peer, ':') - peer) + 1;
  return known->reason == reason && known->listener == listener && strncmp(known->peer, peer, host) == 0;
}

/* Returns the slot for this host, dedicated listener and reason, else the oldest idle slot, else NULL. */
static struct slot *slot_for(uint32_t listener, const char *peer, const char *reason) {
  struct slot *free_slot = NULL;
  for (int i = 0; i < SLOTS; i++) {
    struct slot *slot = &slots[i];
    if (slot->refusal.reason != NULL && is_same(&slot->refusal, listener, peer, reason)) return slot;
    if (slot->refusal.count > 0) continue;
    if (free_slot == NULL || slot->reported_at < free_slot->reported_at) free_slot = slot;
  }
  if (free_slot != NULL) free_slot->reported_at = 0;
  return free_slot;
}

void refusal_add(uint32_t listener, const char *peer, const char *reason, int code, int64_t now) {
  pthread_mutex_lock(&lock);
  struct slot *slot = slot_for(listener, peer, reason);
  /* When every slot is pending, the refusal goes unreported. */
  if (slot != NULL) {
    if (slot->refusal.count == 0) waiting++;
    snprintf(slot->refusal.peer, sizeof slot->refusal.peer, "%s", peer);
    slot->refusal.listener = listener;
    slot->refusal.reason = reason;
    slot->refusal.code = code;
    slot->refusal.count++;
    if (slot->reported_at == 0) slot->reported_at = now - MS(REPORT_EVERY_MS);
  }
  pthread_mutex_unlock(&lock);
}

static struct slot *find_due(int64_t now) {
  for (int i = 0; i < SLOTS; i++) {
    if (slots[i].refusal.count > 0 && now - slots[i].reported_at >= MS(REPORT_EVERY_MS)) return &slots[i];
  }
  return NULL;
}

bool refusal_take(struct refusal *out, int64_t now) {
  pthread_mutex_lock(&lock);
  if (now - second_began >= SECONDS(1)) {
    second_began = now;
    reported_in_second = 0;
  }
  struct slot *slot = reported_in_second < REPORTS_PER_SECOND && waiting > 0 ? find_due(now) : NULL;
  if (slot != NULL) {
    *out = slot->refusal;
    slot->refusal.count = 0;
    slot->reported_at = now;
    waiting--;
    reported_in_second++;
  }
  pthread_mutex_unlock(&lock);
  return slot != NULL;
}

bool refusal_is_waiting(void) { return waiting > 0; }
