#include <srt/access_control.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "endpoint.h"

/* Outgoing connections. The engine resolves names. */

enum { CONNECT_MS = 3000 };

static bool set_call_options(SRTSOCKET socket, const struct call_options *call) {
  int length = (int)strlen(call->stream_id);
  if (!socket_prepare(socket, &call->socket)) return false;
  if (!socket_set_integer(socket, SRTO_CONNTIMEO, CONNECT_MS)) return false;
  return length == 0 || srt_setsockflag(socket, SRTO_STREAMID, call->stream_id, length) == 0;
}

static bool bind_any(SRTSOCKET socket, int family, uint16_t port) {
  union address any;
  address_read(family == AF_INET ? "0.0.0.0" : "::", port, &any);
  return (family == AF_INET || socket_set_integer(socket, SRTO_IPV6ONLY, 1)) &&
         srt_bind(socket, &any.any, (int)address_length(&any)) == 0;
}

/* All calls use one UDP port (one per address family), so that they share its two libsrt threads [16 calls at 6 Mb/s:
   18 % of a core with a port each]. */
static bool bind_shared(SRTSOCKET socket, int family) {
  static uint16_t ports[2]; /* 0: none yet */
  uint16_t *shared = &ports[family == AF_INET ? 0 : 1];
  if (*shared != 0 && bind_any(socket, family, *shared)) return true;
  union address bound;
  int length = sizeof bound;
  if (!bind_any(socket, family, 0) || srt_getsockname(socket, &bound.any, &length) != 0) return false;
  *shared = address_port(&bound);
  return true;
}

static bool connect_next(struct endpoint *endpoint, struct connection *connection) {
  const union address *address = &connection->call->addresses[connection->address_next++];
  address_text(address, connection->peer);
  connection->deadline = endpoint->now + MS(CONNECT_MS);
  connection->socket = srt_create_socket();
  if (connection->socket == SRT_INVALID_SOCK) return false;
  return set_call_options(connection->socket, connection->call) &&
         bind_shared(connection->socket, address->any.sa_family) &&
         connection_watch(endpoint, connection, SRT_EPOLL_OUT) &&
         srt_connect(connection->socket, &address->any, (int)address_length(address)) == 0;
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
    call_ended(endpoint, id, "failed", "too many calls", 0);
    return;
  }
  connection->call = options;
  if (is_sender) feed_join(endpoint, connection);
  connection->state = CONNECTION_CONNECTING;
  int fault = connect_any(endpoint, connection);
  if (fault == 0) {
    link_report(&endpoint->link, "call", "id:%u state:%s peer:%s", id, "connecting", connection->peer);
    return;
  }
  connection_close(endpoint, connection, "internal", fault);
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
  explicit_bzero(connection->call->socket.passphrase, sizeof connection->call->socket.passphrase);
  connection_connected(endpoint, connection);
}
