#include <netinet/in.h>
#include <srt/access_control.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "endpoint.h"
#include "events.h"
#include "sockets.h"

/* Outgoing connections. The engine resolves names. */

enum { CONNECT_MS = 3000 };

static bool set_call_options(SRTSOCKET socket, const struct connection *connection) {
  const struct call_options *call = connection->call;
  int length = (int)strlen(call->stream_id);
  if (!socket_prepare(socket, call->latency, call->passphrase, call->key_length)) return false;
  if (!socket_set_integer(socket, SRTO_CONNTIMEO, CONNECT_MS)) return false;
  if (length > 0 && srt_setsockflag(socket, SRTO_STREAMID, call->stream_id, length) != 0) return false;
  return connection->kind != CONNECTION_CALL_SEND || socket_limit_overhead(socket, call->overhead);
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

/* All calls use one UDP port (one per address family), so that they share its two libsrt threads [16 calls at 6 Mb/s:
   18 % of a core with a port each]. */
static bool bind_shared(SRTSOCKET socket, int family) {
  static uint16_t ports[2]; /* network order; 0: none yet */
  uint16_t *shared = &ports[family == AF_INET ? 0 : 1];
  if (*shared != 0 && bind_any(socket, family, *shared)) return true;
  struct sockaddr_storage bound;
  int length = sizeof bound;
  if (!bind_any(socket, family, 0) || srt_getsockname(socket, (struct sockaddr *)&bound, &length) != 0) return false;
  /* Both families keep the port at the same offset. */
  memcpy(shared, (const char *)&bound + offsetof(struct sockaddr_in, sin_port), sizeof *shared);
  return true;
}

static bool connect_next(struct endpoint *endpoint, struct connection *connection) {
  const struct sockaddr *address = (const struct sockaddr *)&connection->call->addresses[connection->address_next++];
  int length = address->sa_family == AF_INET6 ? (int)sizeof(struct sockaddr_in6) : (int)sizeof(struct sockaddr_in);
  peer_text(address, connection->peer);
  connection->deadline = endpoint->now + MS(CONNECT_MS);
  connection->socket = srt_create_socket();
  if (connection->socket == SRT_INVALID_SOCK) return false;
  return set_call_options(connection->socket, connection) && bind_shared(connection->socket, address->sa_family) &&
         connection_watch(endpoint, connection, SRT_EPOLL_OUT) &&
         srt_connect(connection->socket, address, length) == 0;
}

static void drop_socket(struct endpoint *endpoint, struct connection *connection) {
  if (connection->socket == SRT_INVALID_SOCK) return;
  srt_epoll_remove_usock(endpoint->poll_id, connection->socket);
  srt_close(connection->socket);
  connection->socket = SRT_INVALID_SOCK;
}

/* Starts to connect to the next address that this machine has a route to. Returns 0, or the error if there is none. */
static int connect_any(struct endpoint *endpoint, struct connection *connection) {
  int fault = SRT_ECONNSETUP;
  while (connection->address_next < connection->call->address_count) {
    if (connect_next(endpoint, connection)) return 0;
    fault = srt_getlasterror(NULL);
    drop_socket(endpoint, connection);
  }
  return fault;
}

void caller_start(struct endpoint *endpoint, uint32_t id, uint32_t feed, bool is_sender, struct call_options *options) {
  struct connection *connection = NULL;
  if (endpoint->call_count < MAX_CALLS) {
    connection = connection_add(endpoint, is_sender ? CONNECTION_CALL_SEND : CONNECTION_CALL_RECEIVE, id, feed);
  }
  if (connection == NULL) {
    free(options);
    event_call_ended(endpoint, id, "failed", "too many calls", 0);
    return;
  }
  connection->call = options;
  if (is_sender) fanout_join(endpoint, connection);
  connection->state = CONNECTION_CONNECTING;
  int fault = connect_any(endpoint, connection);
  if (fault == 0) event_call(endpoint, connection, "connecting");
  else connection_close(endpoint, connection, "internal", fault);
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

static void connect_failed(struct endpoint *endpoint, struct connection *connection) {
  int code = srt_getrejectreason(connection->socket);
  /* libsrt discards the reason with the socket, which it may already have cleaned up. */
  if (code == SRT_REJ_UNKNOWN && endpoint->now + MS(100) >= connection->deadline) code = SRT_REJ_TIMEOUT;
  /* After a timeout another address of the same name may answer; an answer from a peer is final. */
  if (code == SRT_REJ_TIMEOUT && connection->address_next < connection->call->address_count) {
    drop_socket(endpoint, connection);
    if (connect_any(endpoint, connection) == 0) return;
  }
  connection_close(endpoint, connection, reason_of(code), code);
}

void caller_ready(struct endpoint *endpoint, struct connection *connection, int events) {
  if ((events & SRT_EPOLL_ERR) != 0 || srt_getsockstate(connection->socket) != SRTS_CONNECTED) {
    connect_failed(endpoint, connection);
    return;
  }
  connection->stats_at = connection->heard_at = endpoint->now;
  connection_connected(endpoint, connection);
  explicit_bzero(connection->call->passphrase, sizeof connection->call->passphrase);
  SRT_SOCKOPT option = connection_is_receiver(connection) ? SRTO_PEERLATENCY : SRTO_RCVLATENCY;
  int latency = socket_get_integer(connection->socket, option);
  event_connected(endpoint, connection, latency, socket_is_encrypted(connection->socket));
  if (!connection_watch(endpoint, connection, SRT_EPOLL_IN)) connection_broken(endpoint, connection);
}
