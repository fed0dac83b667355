#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "endpoint.h"
#include "events.h"
#include "log.h"
#include "sockets.h"

bool connection_is_call(const struct connection *connection) {
  return connection->kind == CONNECTION_CALL_SEND || connection->kind == CONNECTION_CALL_RECEIVE;
}
bool connection_is_receiver(const struct connection *connection) {
  return connection->kind == CONNECTION_PLAYER || connection->kind == CONNECTION_CALL_SEND;
}

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
  endpoint->connections[endpoint->connection_count++] = connection;
  if (connection_is_call(connection)) endpoint->call_count++;
  else endpoint->incoming_count++;
  return connection;
}

struct connection *connection_by_socket(struct endpoint *endpoint, SRTSOCKET socket) {
  for (uint32_t i = 0; i < endpoint->connection_count; i++) {
    struct connection *connection = endpoint->connections[i];
    if (connection->socket == socket && connection->state != CONNECTION_GONE) return connection;
  }
  return NULL;
}

static struct connection *by_id(struct endpoint *endpoint, uint32_t id, bool is_call) {
  for (uint32_t i = 0; i < endpoint->connection_count; i++) {
    struct connection *connection = endpoint->connections[i];
    bool is_meant = connection->id == id && connection_is_call(connection) == is_call;
    if (is_meant && connection->state != CONNECTION_GONE) return connection;
  }
  return NULL;
}

struct connection *connection_by_id(struct endpoint *endpoint, uint32_t id) { return by_id(endpoint, id, false); }
struct connection *connection_by_call(struct endpoint *endpoint, uint32_t id) { return by_id(endpoint, id, true); }

bool connection_watch(struct endpoint *endpoint, struct connection *connection, int events) {
  int wanted = events | SRT_EPOLL_ERR;
  if (srt_epoll_update_usock(endpoint->poll_id, connection->socket, &wanted) == 0) return true;
  return srt_epoll_add_usock(endpoint->poll_id, connection->socket, &wanted) == 0;
}

void connection_connected(struct endpoint *endpoint, struct connection *connection) {
  connection->state = CONNECTION_CONNECTED;
  connection->decide_by = endpoint->now + MS(LINK_WAIT_MS);
  if (!connection_is_receiver(connection)) return;
  connection->sent = sent_open(connection->socket);
  connection->is_limited = socket_has_limit(connection->socket);
  fanout_join(endpoint, connection);
}

void connection_close(struct endpoint *endpoint, struct connection *connection, const char *reason, int code) {
  if (connection->state == CONNECTION_GONE) return;
  bool was_connected = connection->state == CONNECTION_CONNECTED;
  connection->state = CONNECTION_GONE;
  sent_close(connection->sent);
  connection->sent = NULL;
  publish_unlink(endpoint, connection);
  if (connection->socket != SRT_INVALID_SOCK) {
    srt_epoll_remove_usock(endpoint->poll_id, connection->socket);
    srt_close(connection->socket);
  }
  if (connection_is_call(connection)) {
    event_call_ended(endpoint, connection->id, was_connected ? "closed" : "failed", reason, code);
  } else {
    admission_release(connection->socket);
    event_closed(endpoint, connection, reason, code);
  }
}

void connection_broken(struct endpoint *endpoint, struct connection *connection) {
  /* libsrt breaks a connection for a shutdown message and for 5 s of silence alike. It was silence if nothing was
     received for most of that time although data was due. */
  int64_t silence = endpoint->now - connection->heard_at;
  connection_close(endpoint, connection, silence > MS(3500) ? "timeout" : "peer closed", SRT_ECONNLOST);
}

static void free_connection(struct endpoint *endpoint, struct connection *connection) {
  if (connection->feed != NULL) feed_release(endpoint, connection->feed);
  if (connection->port != NULL) port_leave(connection->port);
  if (connection_is_call(connection)) endpoint->call_count--;
  else endpoint->incoming_count--;
  if (connection->call != NULL) explicit_bzero(connection->call, sizeof *connection->call);
  free(connection->call);
  free(connection->batch.bytes);
  free(connection);
}

void connections_sweep(struct endpoint *endpoint) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < endpoint->connection_count; i++) {
    struct connection *connection = endpoint->connections[i];
    if (connection->state == CONNECTION_GONE) free_connection(endpoint, connection);
    else endpoint->connections[kept++] = connection;
  }
  endpoint->connection_count = kept;
}

void connections_check_keys(struct endpoint *endpoint) {
  for (uint32_t i = 0; i < endpoint->connection_count; i++) {
    struct connection *connection = endpoint->connections[i];
    if (connection_is_call(connection) || connection->state == CONNECTION_GONE) continue;
    if (!admission_is_current(&connection->admitted)) connection_close(endpoint, connection, "key removed", 0);
  }
}

void connections_close_door(struct endpoint *endpoint, uint32_t listener, const char *reason) {
  for (uint32_t i = 0; i < endpoint->connection_count; i++) {
    struct connection *connection = endpoint->connections[i];
    bool is_inside = !connection_is_call(connection) && connection->admitted.listener == listener;
    if (is_inside) connection_close(endpoint, connection, reason, 0);
  }
}
