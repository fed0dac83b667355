#include <sys/socket.h>

#include "clock.h"
#include "endpoint.h"

/* How many bytes of a publisher must arrive before its socket is read; read-batching.ts of the engine has the reasons
   and the same rules. */

enum {
  /* Longer than the interval of pictures at 24 Hz, 42 ms. */
  MAX_WAIT_MS = 45,
  /* Far below the kernel's receive buffer, which must never be full before the mark is reached. */
  MAX_MARK = 32 << 10,
};

/* By how much the estimate of the smallest picture grows with each picture. */
static const double growth = 9.0 / 8;

static void set_mark(struct publisher *publisher, int mark) {
  if (mark == publisher->mark) return;
  publisher->mark = mark;
  setsockopt(publisher->watched.fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark);
}

void read_mark_picture(struct publisher *publisher, size_t bytes) {
  const double size = (double)bytes, grown = publisher->smallest_picture * growth;
  publisher->has_picture = true;
  publisher->smallest_picture = publisher->smallest_picture == 0 || size < grown ? size : grown;
}

/* A power of two, so that it seldom changes; at most half a picture, so that the next one does not wait. */
static int below_pictures(const struct publisher *publisher) {
  int mark = 1;
  while (mark < MAX_MARK && mark * 4 <= publisher->smallest_picture) mark *= 2;
  return mark;
}

void read_mark_adjust(struct endpoint *endpoint, struct publisher *publisher) {
  const size_t missing = chunks_missing(&publisher->chunks);
  int mark = 1;
  if (missing > 0) mark = missing < MAX_MARK ? (int)missing : MAX_MARK;
  else if (publisher->has_picture) mark = below_pictures(publisher);
  if (missing == 0) publisher->has_picture = false;
  set_mark(publisher, mark);
  publisher->read_all_at = mark > 1 ? endpoint->now + MS(MAX_WAIT_MS) : 0;
}

void read_mark_clear(struct publisher *publisher) {
  publisher->read_all_at = 0;
  publisher->has_picture = false;
  set_mark(publisher, 1);
}
