#include "events.h"

void event_hello(struct endpoint *endpoint, const char *version) {
  struct json_writer *json = link_event(&endpoint->link, "hello");
  json_put_integer(json, "version", PROTOCOL_VERSION);
  json_put_text(json, "libsrt", version);
  link_send(&endpoint->link);
}

void event_listening(struct endpoint *endpoint, uint16_t port) {
  json_put_integer(link_event(&endpoint->link, "listening"), "port", port);
  link_send(&endpoint->link);
}

void event_listen_failed(struct endpoint *endpoint, uint16_t port, const char *error, const char *reason) {
  struct json_writer *json = link_event(&endpoint->link, "listen-failed");
  json_put_integer(json, "port", port);
  json_put_text(json, "error", error);
  json_put_text(json, "reason", reason);
  link_send(&endpoint->link);
}

void event_listener_listening(struct endpoint *endpoint, uint32_t listener) {
  struct json_writer *json = link_event(&endpoint->link, "listener");
  json_put_integer(json, "id", listener);
  json_put_text(json, "state", "listening");
  link_send(&endpoint->link);
}

void event_listener_failed(struct endpoint *endpoint, uint32_t listener, const char *error, const char *reason) {
  struct json_writer *json = link_event(&endpoint->link, "listener");
  json_put_integer(json, "id", listener);
  json_put_text(json, "state", "failed");
  json_put_text(json, "error", error);
  json_put_text(json, "reason", reason);
  link_send(&endpoint->link);
}

void event_keys(struct endpoint *endpoint, uint32_t number) {
  json_put_integer(link_event(&endpoint->link, "keys"), "number", number);
  link_send(&endpoint->link);
}

static void put_listener(struct json_writer *json, uint32_t listener) {
  if (listener != COMMON_LISTENER) json_put_integer(json, "listener", listener);
}

void event_connected(struct endpoint *endpoint, const struct connection *connection, int latency, bool is_encrypted) {
  struct json_writer *json;
  if (connection_is_call(connection)) {
    json = link_event(&endpoint->link, "call");
    json_put_integer(json, "id", connection->id);
    json_put_text(json, "state", "connected");
  } else {
    json = link_event(&endpoint->link, connection->kind == CONNECTION_PUBLISHER ? "publish" : "client");
    json_put_integer(json, "conn", connection->id);
    json_put_integer(json, "feed", connection->feed_id);
    put_listener(json, connection->admitted.listener);
  }
  json_put_text(json, "peer", connection->peer);
  json_put_integer(json, "latency", latency);
  json_put_flag(json, "encrypted", is_encrypted);
  link_send(&endpoint->link);
}

void event_closed(struct endpoint *endpoint, const struct connection *connection, const char *reason, int code) {
  struct json_writer *json = link_event(&endpoint->link, "closed");
  json_put_integer(json, "conn", connection->id);
  json_put_text(json, "reason", reason);
  json_put_integer(json, "code", code);
  link_send(&endpoint->link);
}

void event_refused(struct endpoint *endpoint, const struct refusal *refusal) {
  struct json_writer *json = link_event(&endpoint->link, "rejected");
  put_listener(json, refusal->listener);
  json_put_text(json, "peer", refusal->peer);
  json_put_text(json, "reason", refusal->reason);
  json_put_integer(json, "code", refusal->code);
  json_put_integer(json, "count", refusal->count);
  link_send(&endpoint->link);
}

void event_call(struct endpoint *endpoint, const struct connection *connection, const char *state) {
  struct json_writer *json = link_event(&endpoint->link, "call");
  json_put_integer(json, "id", connection->id);
  json_put_text(json, "state", state);
  if (connection->peer[0] != '\0') json_put_text(json, "peer", connection->peer);
  link_send(&endpoint->link);
}

static const char *text_of(int code) {
  if (code <= 0) return "";
  /* Reject reasons of libsrt and of applications share one number space. Its error numbers also start at 1000, but only
     those of a broken connection (2000 and up) reach this code. */
  return code >= 2000 && code < 3000 ? srt_strerror(code, 0) : srt_rejectreason_str(code);
}

void event_call_ended(struct endpoint *endpoint, uint32_t id, const char *state, const char *reason, int code) {
  struct json_writer *json = link_event(&endpoint->link, "call");
  json_put_integer(json, "id", id);
  json_put_text(json, "state", state);
  json_put_text(json, "reason", reason);
  json_put_integer(json, "code", code);
  json_put_text(json, "text", text_of(code));
  link_send(&endpoint->link);
}
