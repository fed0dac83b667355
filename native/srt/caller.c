#include <netinet/in.h>
#include <srt/access_control.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "endpoint.h"
#include "events.h"
#include "sockets.h"

/* Outgoing connections. Names are looked up by the engine. */

enum { CONNECT_MS = 3000 };

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
  const struct sockaddr *address = (const struct sockaddr *)&leg->call->addresses[leg->address_next++];
  int length = address->sa_family == AF_INET6 ? (int)sizeof(struct sockaddr_in6) : (int)sizeof(struct sockaddr_in);
  peer_text(address, leg->peer);
  leg->deadline = endpoint->now + MS(CONNECT_MS);
  leg->socket = srt_create_socket();
  if (leg->socket == SRT_INVALID_SOCK) return false;
  return set_call_options(leg->socket, leg) && bind_shared(leg->socket, address->sa_family) && leg_watch(endpoint, leg, SRT_EPOLL_OUT) &&
         srt_connect(leg->socket, address, length) == 0;
}

static void drop_socket(struct endpoint *endpoint, struct leg *leg) {
  if (leg->socket == SRT_INVALID_SOCK) return;
  srt_epoll_remove_usock(endpoint->poll_id, leg->socket);
  srt_close(leg->socket);
  leg->socket = SRT_INVALID_SOCK;
}

/* Begins to connect to the next address that this machine has a way to. Returns 0, or why there is none. */
static int connect_any(struct endpoint *endpoint, struct leg *leg) {
  int fault = SRT_ECONNSETUP;
  while (leg->address_next < leg->call->address_count) {
    if (connect_next(endpoint, leg)) return 0;
    fault = srt_getlasterror(NULL);
    drop_socket(endpoint, leg);
  }
  return fault;
}

void caller_start(struct endpoint *endpoint, uint32_t id, uint32_t feed, bool is_sender, struct call_options *options) {
  struct leg *leg = NULL;
  if (endpoint->call_count < MAX_CALLS) {
    leg = leg_add(endpoint, is_sender ? LEG_CALL_SEND : LEG_CALL_RECEIVE, id, feed);
  }
  if (leg == NULL) {
    free(options);
    event_call_ended(endpoint, id, "failed", "too many calls", 0);
    return;
  }
  leg->call = options;
  if (is_sender) fanout_join(endpoint, leg);
  leg->state = LEG_CONNECTING;
  int fault = connect_any(endpoint, leg);
  if (fault == 0) event_call(endpoint, leg, "connecting");
  else leg_close(endpoint, leg, "internal", fault);
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
  if (code == SRT_REJ_TIMEOUT && leg->address_next < leg->call->address_count) {
    drop_socket(endpoint, leg);
    if (connect_any(endpoint, leg) == 0) return;
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
