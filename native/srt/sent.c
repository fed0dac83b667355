#include "sent.h"

#include <stdatomic.h>

#include "admission.h"
#include "sockets.h"

enum {
  /* A message of 1316 bytes takes three packets with the smallest MSS. The next one may be sent and acknowledged before
     its number is noted. */
  AHEAD = 8,
  HALF = 1 << 30,
};

struct sent_mark {
  _Atomic int32_t socket; /* 0: free */
  _Atomic uint32_t next;
};

static struct sent_mark table[MAX_CONNECTIONS];
static _Atomic uint32_t used;

struct sent_mark *sent_open(SRTSOCKET socket) {
  for (uint32_t i = 0; i < MAX_CONNECTIONS; i++) {
    struct sent_mark *sent = &table[i];
    if (sent->socket != 0) continue;
    sent->next = (uint32_t)socket_get_integer(socket, SRTO_ISN);
    sent->socket = socket;
    if (i >= used) used = i + 1;
    return sent;
  }
  return NULL;
}

void sent_message(struct sent_mark *sent, int32_t sequence) {
  atomic_store_explicit(&sent->next, (uint32_t)sequence + 1, memory_order_relaxed);
}

void sent_close(struct sent_mark *sent) {
  if (sent != NULL) sent->socket = 0;
}

bool sent_covers(int32_t socket, uint32_t sequence) {
  if (sequence > INT32_MAX) return false;
  for (uint32_t i = 0; i < used; i++) {
    if (atomic_load_explicit(&table[i].socket, memory_order_acquire) != socket) continue;
    const uint32_t next = atomic_load_explicit(&table[i].next, memory_order_relaxed);
    /* Sequence numbers have 31 bits and wrap. */
    return ((next + AHEAD - sequence) & INT32_MAX) < HALF;
  }
  return false;
}
