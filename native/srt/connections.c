#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "endpoint.h"

struct connection *connection_add(struct endpoint *endpoint, enum connection_kind kind, uint32_t id, uint32_t feed_id) {
  if (endpoint->connection_count == MAX_CONNECTIONS) return NULL;
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL) return NULL;
  connection->kind = kind;
  connection->id = id;
  connection->feed_id = feed_id;
  connection->socket = SRT_INVALID_SOCK;
  connection->stats_at = connection->heard_at = endpoint->now;
  if (connection_is_receiver(connection)) {
    connection->feed = feed_open(endpoint, feed_id);
    if (connection->feed == NULL) {
      free(connection);
      return NULL;
    }
    connection->feed->receivers++;
  }
  TAILQ_INSERT_TAIL(&endpoint->connections, connection, entry);
  endpoint->connection_count++;
  if (connection_is_call(connection)) endpoint->call_count++;
  return connection;
}

struct connection *connection_by_socket(struct endpoint *endpoint, SRTSOCKET socket) {
  struct connection *connection;
  TAILQ_FOREACH(connection, &endpoint->connections, entry) {
    if (connection->socket == socket && connection->state != CONNECTION_GONE) return connection;
  }
  return NULL;
}

struct connection *connection_find(struct endpoint *endpoint, uint32_t id, bool is_call) {
  struct connection *connection;
  TAILQ_FOREACH(connection, &endpoint->connections, entry) {
    bool is_meant = connection->id == id && connection_is_call(connection) == is_call;
    if (is_meant && connection->state != CONNECTION_GONE) return connection;
  }
  return NULL;
}

bool connection_watch(struct endpoint *endpoint, struct connection *connection, int events) {
  int wanted = events | SRT_EPOLL_ERR;
  if (srt_epoll_update_usock(endpoint->poll_id, connection->socket, &wanted) == 0) return true;
  return srt_epoll_add_usock(endpoint->poll_id, connection->socket, &wanted) == 0;
}

static void tell_connected(struct endpoint *endpoint, const struct connection *connection) {
  const SRT_SOCKOPT latency = connection_is_receiver(connection) ? SRTO_PEERLATENCY : SRTO_RCVLATENCY;
  struct json_writer *json;
  if (connection_is_call(connection)) {
    json = link_event(&endpoint->link, "call");
    json_put_integer(json, "id", connection->id);
    json_put_text(json, "state", "connected");
  } else {
    const uint32_t listener = connection->admitted.listener;
    json = link_event(&endpoint->link, connection->kind == CONNECTION_PUBLISHER ? "publish" : "client");
    json_put_integer(json, "conn", connection->id);
    json_put_integer(json, "feed", connection->feed_id);
    if (listener != COMMON_LISTENER) json_put_integer(json, "listener", listener);
  }
  json_put_text(json, "peer", connection->peer);
  json_put_integer(json, "latency", socket_get_integer(connection->socket, latency));
  json_put_flag(json, "encrypted", socket_is_encrypted(connection->socket));
  link_send(&endpoint->link);
}

void connection_connected(struct endpoint *endpoint, struct connection *connection) {
  connection->state = CONNECTION_CONNECTED;
  connection->stats_at = connection->heard_at = endpoint->now;
  connection->decide_by = endpoint->now + MS(LINK_WAIT_MS);
  if (connection_is_receiver(connection)) {
    connection->sent = sent_open(connection->socket);
    connection->is_limited = socket_has_limit(connection->socket);
    feed_join(endpoint, connection);
  }
  tell_connected(endpoint, connection);
  if (!connection_watch(endpoint, connection, SRT_EPOLL_IN)) connection_broken(endpoint, connection);
}

static const char *text_of(int code) {
  if (code <= 0) return "";
  /* Reject reasons of libsrt and of applications share one number space. Its error numbers also start at 1000, but only
     those of a broken connection (2000 and up) reach this code. */
  return code >= 2000 && code < 3000 ? srt_strerror(code, 0) : srt_rejectreason_str(code);
}

void call_ended(struct endpoint *endpoint, uint32_t id, const char *state, const char *reason, int code) {
  const char *members = "id:%u state:%s reason:%s code:%d text:%s";
  link_report(&endpoint->link, "call", members, id, state, reason, code, text_of(code));
}

void connection_close(struct endpoint *endpoint, struct connection *connection, const char *reason, int code) {
  if (connection->state == CONNECTION_GONE) return;
  bool was_connected = connection->state == CONNECTION_CONNECTED;
  connection->state = CONNECTION_GONE;
  sent_close(connection->sent);
  connection->sent = NULL;
  feed_unlink(endpoint, connection);
  if (connection->socket != SRT_INVALID_SOCK) {
    srt_epoll_remove_usock(endpoint->poll_id, connection->socket);
    srt_close(connection->socket);
  }
  if (connection_is_call(connection)) {
    call_ended(endpoint, connection->id, was_connected ? "closed" : "failed", reason, code);
  } else {
    admission_release(connection->socket);
    link_report(&endpoint->link, "closed", "conn:%u reason:%s code:%d", connection->id, reason, code);
  }
}

void connection_broken(struct endpoint *endpoint, struct connection *connection) {
  /* libsrt breaks a connection for a shutdown message and for 5 s of silence alike. It was silence if nothing was
     received for most of that time although data was due. */
  int64_t silence = endpoint->now - connection->heard_at;
  connection_close(endpoint, connection, silence > MS(3500) ? "timeout" : "peer closed", SRT_ECONNLOST);
}

static void free_connection(struct endpoint *endpoint, struct connection *connection) {
  TAILQ_REMOVE(&endpoint->connections, connection, entry);
  endpoint->connection_count--;
  if (connection->feed != NULL) feed_release(endpoint, connection->feed);
  if (connection->port != NULL) port_leave(connection->port);
  if (connection_is_call(connection)) endpoint->call_count--;
  if (connection->call != NULL) explicit_bzero(connection->call, sizeof *connection->call);
  free(connection->call);
  free(connection->batch.bytes);
  free(connection);
}

void connections_sweep(struct endpoint *endpoint) {
  struct connection *next = TAILQ_FIRST(&endpoint->connections);
  while (next != NULL) {
    struct connection *connection = next;
    next = TAILQ_NEXT(connection, entry);
    if (connection->state == CONNECTION_GONE) free_connection(endpoint, connection);
  }
}

void connections_check_keys(struct endpoint *endpoint) {
  struct connection *connection;
  TAILQ_FOREACH(connection, &endpoint->connections, entry) {
    if (connection_is_call(connection) || connection->state == CONNECTION_GONE) continue;
    if (!admission_is_current(&connection->admitted)) connection_close(endpoint, connection, "key removed", 0);
  }
}

void connections_close_door(struct endpoint *endpoint, uint32_t listener, const char *reason) {
  struct connection *connection;
  TAILQ_FOREACH(connection, &endpoint->connections, entry) {
    bool is_inside = !connection_is_call(connection) && connection->admitted.listener == listener;
    if (is_inside) connection_close(endpoint, connection, reason, 0);
  }
}
