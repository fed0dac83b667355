#include "events.h"

enum { ERRORS_PER_SECOND = 100 };

static struct json_writer *begin(struct endpoint *endpoint, const char *name) {
  json_begin(&endpoint->json);
  json_put_text(&endpoint->json, "ev", name);
  return &endpoint->json;
}

void event_finish(struct endpoint *endpoint) {
  json_end(&endpoint->json);
  wire_send_control(&endpoint->wire, endpoint->json.data, endpoint->json.length);
}

void event_hello(struct endpoint *endpoint, const char *version) {
  struct json_writer *json = begin(endpoint, "hello");
  json_put_integer(json, "version", 1);
  json_put_text(json, "libsrt", version);
  event_finish(endpoint);
}

void event_listening(struct endpoint *endpoint, uint16_t port) {
  json_put_integer(begin(endpoint, "listening"), "port", port);
  event_finish(endpoint);
}

void event_listen_failed(struct endpoint *endpoint, uint16_t port, const char *error, bool is_busy) {
  struct json_writer *json = begin(endpoint, "listen-failed");
  json_put_integer(json, "port", port);
  json_put_text(json, "error", error);
  json_put_flag(json, "busy", is_busy);
  event_finish(endpoint);
}

void event_connected(struct endpoint *endpoint, const struct leg *leg, int latency, bool is_encrypted) {
  struct json_writer *json;
  if (leg_is_call(leg)) {
    json = begin(endpoint, "call");
    json_put_integer(json, "id", leg->id);
    json_put_text(json, "state", "connected");
  } else {
    json = begin(endpoint, leg->kind == LEG_PUBLISHER ? "publish" : "client");
    json_put_integer(json, "conn", leg->id);
    json_put_integer(json, "feed", leg->feed_id);
  }
  json_put_text(json, "peer", leg->peer);
  json_put_integer(json, "latency", latency);
  json_put_flag(json, "encrypted", is_encrypted);
  event_finish(endpoint);
}

void event_closed(struct endpoint *endpoint, const struct leg *leg, const char *reason, int code) {
  struct json_writer *json = begin(endpoint, "closed");
  json_put_integer(json, "conn", leg->id);
  json_put_text(json, "reason", reason);
  json_put_integer(json, "code", code);
  event_finish(endpoint);
}

void event_refused(struct endpoint *endpoint, const struct refusal *refusal) {
  struct json_writer *json = begin(endpoint, "rejected");
  json_put_text(json, "peer", refusal->peer);
  json_put_text(json, "reason", refusal->reason);
  json_put_integer(json, "code", refusal->code);
  json_put_integer(json, "count", refusal->count);
  event_finish(endpoint);
}

void event_call(struct endpoint *endpoint, const struct leg *leg, const char *state) {
  struct json_writer *json = begin(endpoint, "call");
  json_put_integer(json, "id", leg->id);
  json_put_text(json, "state", state);
  if (leg->peer[0] != '\0') json_put_text(json, "peer", leg->peer);
  event_finish(endpoint);
}

static const char *text_of(int code) {
  if (code <= 0) return "";
  /* Reject reasons of libsrt and of applications share one number space; its error numbers start at 1000, too, but
     only those of a broken connection (2000 and up) come here. */
  return code >= 2000 && code < 3000 ? srt_strerror(code, 0) : srt_rejectreason_str(code);
}

void event_call_ended(struct endpoint *endpoint, uint32_t id, const char *state, const char *reason, int code) {
  struct json_writer *json = begin(endpoint, "call");
  json_put_integer(json, "id", id);
  json_put_text(json, "state", state);
  json_put_text(json, "reason", reason);
  json_put_integer(json, "code", code);
  json_put_text(json, "text", text_of(code));
  event_finish(endpoint);
}

void event_error(struct endpoint *endpoint, const char *operation, const char *text, const char *field) {
  if (endpoint->errors_in_second >= ERRORS_PER_SECOND) return;
  endpoint->errors_in_second++;
  struct json_writer *json = begin(endpoint, "error");
  if (operation[0] != '\0') json_put_text(json, "op", operation);
  json_put_text(json, "text", text);
  if (field != NULL) json_put_text(json, "field", field);
  event_finish(endpoint);
}
