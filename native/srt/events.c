#include "endpoint.h"

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

void event_refused(struct endpoint *endpoint, const struct refusal *refusal) {
  struct json_writer *json = link_event(&endpoint->link, "rejected");
  put_listener(json, refusal->listener);
  json_put_text(json, "peer", refusal->peer);
  json_put_text(json, "reason", refusal->reason);
  json_put_integer(json, "code", refusal->code);
  json_put_integer(json, "count", refusal->count);
  link_send(&endpoint->link);
}

static const char *text_of(int code) {
  if (code <= 0) return "";
  /* Reject reasons of libsrt and of applications share one number space. Its error numbers also start at 1000, but only
     those of a broken connection (2000 and up) reach this code. */
  return code >= 2000 && code < 3000 ? srt_strerror(code, 0) : srt_rejectreason_str(code);
}

void event_call_ended(struct endpoint *endpoint, uint32_t id, const char *state, const char *reason, int code) {
  const char *members = "id:%u state:%s reason:%s code:%d text:%s";
  link_report(&endpoint->link, "call", members, id, state, reason, code, text_of(code));
}
