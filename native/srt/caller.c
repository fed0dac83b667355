#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <srt/access_control.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "clock.h"
#include "endpoint.h"
#include "events.h"
#include "sockets.h"

/* Outgoing connections. Names are looked up on threads of their own, because a dead name server takes half a minute. */

enum { CONNECT_MS = 3000, RESOLVE_SECONDS = 10, MAX_LOOKUPS = 32, LOOKUP_STACK = 512 << 10 };

struct lookup {
  struct lookup *next;
  uint32_t call;
  uint32_t serial; /* tells a call from an earlier one of the same id */
  char host[256];
  char port[8];
  struct sockaddr_storage addresses[MAX_ADDRESSES];
  uint32_t count;
};

static struct {
  pthread_mutex_t lock;
  struct lookup *finished;
  uint32_t running;
  int wake_fd;
} resolver;

bool caller_init(int wake_fd) {
  resolver.wake_fd = wake_fd;
  return pthread_mutex_init(&resolver.lock, NULL) == 0;
}

static uint32_t resolve(const char *host, const char *port, int flags, struct sockaddr_storage out[MAX_ADDRESSES]) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM, .ai_flags = flags};
  struct addrinfo *list = NULL;
  uint32_t count = 0;
  if (getaddrinfo(host, port, &hints, &list) != 0) return 0;
  for (const struct addrinfo *at = list; at != NULL && count < MAX_ADDRESSES; at = at->ai_next) {
    if (at->ai_addrlen <= sizeof out[0]) memcpy(&out[count++], at->ai_addr, at->ai_addrlen);
  }
  freeaddrinfo(list);
  return count;
}

static void *run_lookup(void *argument) {
  struct lookup *lookup = argument;
  lookup->count = resolve(lookup->host, lookup->port, AI_ADDRCONFIG | AI_NUMERICSERV, lookup->addresses);
  pthread_mutex_lock(&resolver.lock);
  lookup->next = resolver.finished;
  resolver.finished = lookup;
  resolver.running--;
  pthread_mutex_unlock(&resolver.lock);
  eventfd_write(resolver.wake_fd, 1);
  return NULL;
}

static bool start_thread(struct lookup *lookup) {
  pthread_t thread;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, LOOKUP_STACK);
  bool ok = pthread_create(&thread, &attributes, run_lookup, lookup) == 0;
  pthread_attr_destroy(&attributes);
  return ok;
}

static bool start_lookup(struct leg *leg) {
  struct lookup *lookup = calloc(1, sizeof *lookup);
  if (lookup == NULL) return false;
  lookup->call = leg->id;
  lookup->serial = leg->call->serial;
  snprintf(lookup->host, sizeof lookup->host, "%s", leg->call->host);
  snprintf(lookup->port, sizeof lookup->port, "%u", leg->call->port);
  pthread_mutex_lock(&resolver.lock);
  bool ok = resolver.running < MAX_LOOKUPS;
  if (ok) resolver.running++;
  pthread_mutex_unlock(&resolver.lock);
  if (ok && start_thread(lookup)) return true;
  if (ok) {
    pthread_mutex_lock(&resolver.lock);
    resolver.running--;
    pthread_mutex_unlock(&resolver.lock);
  }
  free(lookup);
  return false;
}

static bool set_call_options(SRTSOCKET socket, const struct leg *leg) {
  const struct call_options *call = leg->call;
  int length = (int)strlen(call->stream_id);
  if (!socket_prepare(socket, call->latency, call->passphrase, call->key_length)) return false;
  if (!socket_set_integer(socket, SRTO_CONNTIMEO, CONNECT_MS)) return false;
  if (length > 0 && srt_setsockflag(socket, SRTO_STREAMID, call->stream_id, length) != 0) return false;
  return leg->kind != LEG_CALL_SEND || socket_limit_overhead(socket, call->overhead);
}

static bool bind_any(SRTSOCKET socket, int family, uint16_t port) {
  if (family == AF_INET) {
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = port};
    return srt_bind(socket, (const struct sockaddr *)&any, sizeof any) == 0;
  }
  struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = port};
  return socket_set_integer(socket, SRTO_IPV6ONLY, 1) &&
         srt_bind(socket, (const struct sockaddr *)&any, sizeof any) == 0;
}

/* All calls leave from one UDP port (one per address family), so that they share libsrt's two threads for it
   [16 calls at 6 Mb/s: 18 % of a core with a port each]. */
static bool bind_shared(SRTSOCKET socket, int family) {
  static uint16_t ports[2]; /* network order; 0: none yet */
  uint16_t *shared = &ports[family == AF_INET ? 0 : 1];
  if (*shared != 0 && bind_any(socket, family, *shared)) return true;
  struct sockaddr_storage bound;
  int length = sizeof bound;
  if (!bind_any(socket, family, 0) || srt_getsockname(socket, (struct sockaddr *)&bound, &length) != 0) return false;
  /* Both families keep the port in the same place. */
  memcpy(shared, (const char *)&bound + offsetof(struct sockaddr_in, sin_port), sizeof *shared);
  return true;
}

static bool connect_next(struct endpoint *endpoint, struct leg *leg) {
  const struct sockaddr *address = (const struct sockaddr *)&leg->addresses[leg->address_next++];
  int length = address->sa_family == AF_INET6 ? (int)sizeof(struct sockaddr_in6) : (int)sizeof(struct sockaddr_in);
  peer_text(address, leg->peer);
  leg->deadline = endpoint->now + MS(CONNECT_MS);
  leg->socket = srt_create_socket();
  if (leg->socket == SRT_INVALID_SOCK) return false;
  return set_call_options(leg->socket, leg) && bind_shared(leg->socket, address->sa_family) && leg_watch(endpoint, leg, SRT_EPOLL_OUT) &&
         srt_connect(leg->socket, address, length) == 0;
}

static void connect_first(struct endpoint *endpoint, struct leg *leg) {
  leg->state = LEG_CONNECTING;
  if (!connect_next(endpoint, leg)) {
    leg_close(endpoint, leg, "internal", srt_getlasterror(NULL));
    return;
  }
  event_call(endpoint, leg, "connecting");
}

void caller_start(struct endpoint *endpoint, uint32_t id, uint32_t feed, bool is_sender, struct call_options *options) {
  static uint32_t next_serial;
  struct leg *leg = NULL;
  if (endpoint->call_count < MAX_CALLS) {
    leg = leg_add(endpoint, is_sender ? LEG_CALL_SEND : LEG_CALL_RECEIVE, id, feed);
  }
  if (leg == NULL) {
    free(options);
    event_call_ended(endpoint, id, "failed", "too many calls", 0);
    return;
  }
  options->serial = ++next_serial;
  leg->call = options;
  leg->state = LEG_RESOLVING;
  leg->deadline = endpoint->now + SECONDS(RESOLVE_SECONDS);
  if (is_sender) fanout_join(endpoint, leg);
  char port[8];
  snprintf(port, sizeof port, "%u", options->port);
  leg->address_count = resolve(options->host, port, AI_NUMERICHOST | AI_NUMERICSERV, leg->addresses);
  if (leg->address_count > 0) {
    connect_first(endpoint, leg);
    return;
  }
  event_call(endpoint, leg, "connecting");
  if (!start_lookup(leg)) leg_close(endpoint, leg, "too many calls", 0);
}

static void take_result(struct endpoint *endpoint, const struct lookup *lookup) {
  struct leg *leg = leg_by_call(endpoint, lookup->call);
  if (leg == NULL || leg->state != LEG_RESOLVING || leg->call->serial != lookup->serial) return;
  memcpy(leg->addresses, lookup->addresses, sizeof leg->addresses);
  leg->address_count = lookup->count;
  if (lookup->count == 0) leg_close(endpoint, leg, "dns", 0);
  else connect_first(endpoint, leg);
}

void caller_tidy(struct endpoint *endpoint) {
  pthread_mutex_lock(&resolver.lock);
  struct lookup *list = resolver.finished;
  resolver.finished = NULL;
  pthread_mutex_unlock(&resolver.lock);
  while (list != NULL) {
    struct lookup *next = list->next;
    take_result(endpoint, list);
    free(list);
    list = next;
  }
  for (uint32_t i = 0; i < endpoint->leg_count && endpoint->call_count > 0; i++) {
    struct leg *leg = endpoint->legs[i];
    if (leg->state == LEG_RESOLVING && endpoint->now > leg->deadline) leg_close(endpoint, leg, "dns", 0);
  }
}

static const char *reason_of(int code) {
  switch (code) {
    case SRT_REJ_TIMEOUT:
      return "timeout";
    case SRT_REJ_BADSECRET:
    case SRT_REJ_UNSECURE:
      return "bad passphrase";
    case SRT_REJX_UNAUTHORIZED:
    case SRT_REJX_FORBIDDEN:
      return "unauthorized";
    case SRT_REJX_NOTFOUND:
      return "not found";
    case SRT_REJX_CONFLICT:
    case SRT_REJX_LOCKED:
      return "conflict";
    case SRT_REJ_RESOURCE:
    case SRT_REJ_BACKLOG:
    case SRT_REJ_CLOSE:
    case SRT_REJ_PEER:
      return "refused";
    default:
      return "rejected";
  }
}

static void connect_failed(struct endpoint *endpoint, struct leg *leg) {
  int code = srt_getrejectreason(leg->socket);
  /* The library forgets the reason with the socket, which it may have tidied away by now. */
  if (code == SRT_REJ_UNKNOWN && endpoint->now + MS(100) >= leg->deadline) code = SRT_REJ_TIMEOUT;
  /* Another address of the same name may answer; a peer that did answer has the last word. */
  if (code == SRT_REJ_TIMEOUT && leg->address_next < leg->address_count) {
    srt_epoll_remove_usock(endpoint->poll_id, leg->socket);
    srt_close(leg->socket);
    if (connect_next(endpoint, leg)) return;
  }
  leg_close(endpoint, leg, reason_of(code), code);
}

void caller_ready(struct endpoint *endpoint, struct leg *leg, int events) {
  if ((events & SRT_EPOLL_ERR) != 0 || srt_getsockstate(leg->socket) != SRTS_CONNECTED) {
    connect_failed(endpoint, leg);
    return;
  }
  leg->stats_at = leg->heard_at = endpoint->now;
  leg_connected(endpoint, leg);
  explicit_bzero(leg->call->passphrase, sizeof leg->call->passphrase);
  int latency = socket_get_integer(leg->socket, leg_is_receiver(leg) ? SRTO_PEERLATENCY : SRTO_RCVLATENCY);
  event_connected(endpoint, leg, latency, socket_is_encrypted(leg->socket));
  if (!leg_watch(endpoint, leg, SRT_EPOLL_IN)) leg_broken(endpoint, leg);
}
