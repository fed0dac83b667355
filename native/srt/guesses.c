#include "guesses.h"

#include <netinet/in.h>
#include <string.h>

#include "clock.h"

enum { MAX_HOSTS = 512, MAX_KNOWN = 1024 };

struct guesser {
  struct guess_host host;
  uint32_t wrong;
  int64_t wrong_at;
  int64_t next_at;
};

struct known {
  struct guess_host host;
  uint32_t feed; /* 0: free slot */
  int kind;
  int64_t at;
};

static struct guesser guessers[MAX_HOSTS];
static struct known known[MAX_KNOWN];

static bool is_same(const struct guess_host *left, const struct guess_host *right) {
  return memcmp(left->bytes, right->bytes, HOST_BYTES) == 0;
}

struct guess_host guess_host_of(const union address *address) {
  struct guess_host host = {{0}};
  if (address->any.sa_family == AF_INET) {
    host.bytes[10] = host.bytes[11] = 0xff;
    memcpy(&host.bytes[12], &address->v4.sin_addr, 4);
    return host;
  }
  const struct in6_addr *v6 = &address->v6.sin6_addr;
  const bool is_local = IN6_IS_ADDR_LINKLOCAL(v6) || (v6->s6_addr[0] & 0xfe) == 0xfc || IN6_IS_ADDR_LOOPBACK(v6);
  memcpy(host.bytes, v6->s6_addr, is_local ? HOST_BYTES : HOST_BYTES / 2);
  return host;
}

static struct guesser *find_guesser(const struct guess_host *host) {
  for (int i = 0; i < MAX_HOSTS; i++) {
    if (guessers[i].wrong > 0 && is_same(&guessers[i].host, host)) return &guessers[i];
  }
  return NULL;
}

static struct known *find_known(const struct guess_host *host, uint32_t feed, int kind) {
  for (int i = 0; i < MAX_KNOWN; i++) {
    struct known *one = &known[i];
    if (one->feed == feed && one->kind == kind && is_same(&one->host, host)) return one;
  }
  return NULL;
}

bool guess_is_looked_at(const struct guess_host *host, uint32_t feed, int kind, int64_t now) {
  struct guesser *guesser = find_guesser(host);
  if (guesser == NULL || guesser->wrong < FREE_GUESSES || now - guesser->wrong_at > SECONDS(GUESS_WINDOW_S))
    return true;
  if (feed != 0 && find_known(host, feed, kind) != NULL) return true;
  if (now < guesser->next_at) return false;
  guesser->next_at = now + MS(GUESS_EVERY_MS);
  return true;
}

/* A new host replaces the one with the oldest wrong key. */
void guess_was_wrong(const struct guess_host *host, int64_t now) {
  struct guesser *guesser = find_guesser(host);
  if (guesser == NULL) {
    guesser = &guessers[0];
    for (int i = 1; i < MAX_HOSTS; i++) {
      if (guessers[i].wrong_at < guesser->wrong_at) guesser = &guessers[i];
    }
    *guesser = (struct guesser){.host = *host};
  }
  if (now - guesser->wrong_at > SECONDS(GUESS_WINDOW_S)) guesser->wrong = 0;
  guesser->wrong++;
  guesser->wrong_at = now;
}

void guess_was_right(const struct guess_host *host, uint32_t feed, int kind, int64_t now) {
  struct known *place = find_known(host, feed, kind);
  if (place == NULL) {
    place = &known[0];
    for (int i = 1; i < MAX_KNOWN; i++) {
      if (known[i].at < place->at) place = &known[i];
    }
  }
  *place = (struct known){.host = *host, .feed = feed, .kind = kind, .at = now};
}
