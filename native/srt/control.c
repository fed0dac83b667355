#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "endpoint.h"

/* One function per operation of the engine; PROTOCOL.md describes them. */

enum { LATENCY_MAX = 60000, PASSPHRASE_MIN = 10, PASSPHRASE_MAX = 79, OVERHEAD_MIN = 5, BATCH_MS_MAX = 1000 };

static struct socket_options read_socket(struct json_fields *fields) {
  struct socket_options read = {
      .latency = (int)json_integer_or(fields, "latency", 0, LATENCY_MAX, SRT_LIVE_DEF_LATENCY_MS),
      .key_length = (int)json_integer_or(fields, "pbkeylen", 0, 32, 0),
      .overhead = (int)json_integer_or(fields, "oheadbw", 0, 100, 0),
  };
  strcpy(read.passphrase, json_text_or(fields, "passphrase", PASSPHRASE_MAX, ""));
  if (read.key_length % 8 != 0 || read.key_length == 8) json_mark_bad(fields, "pbkeylen");
  if (read.overhead > 0 && read.overhead < OVERHEAD_MIN) json_mark_bad(fields, "oheadbw");
  const size_t length = strlen(read.passphrase);
  if (length > 0 && length < PASSPHRASE_MIN) json_mark_bad(fields, "passphrase");
  return read;
}

static bool read_is_sender(struct json_fields *fields) {
  const char *direction = json_text(fields, "direction", 1, 16);
  bool is_sender = strcmp(direction, "send") == 0;
  if (!is_sender && strcmp(direction, "receive") != 0) json_mark_bad(fields, "direction");
  return is_sender;
}

static struct listener_options read_listener(struct json_fields *fields, uint16_t lowest_port) {
  struct listener_options read = {.port = (uint16_t)json_integer(fields, "port", lowest_port, 65535)};
  read.socket = read_socket(fields);
  strcpy(read.bind, json_text_or(fields, "bind", sizeof read.bind - 1, "0.0.0.0"));
  return read;
}

static void listen_on(struct endpoint *endpoint, struct json_fields *fields) {
  struct listener_options options = read_listener(fields, 0);
  struct listener_rule rule = {.listener = COMMON_LISTENER, .is_encrypted = options.socket.passphrase[0] != '\0'};
  if (link_is_complete(&endpoint->link, fields, "listen")) listener_open(endpoint, &options, &rule);
  explicit_bzero(&options, sizeof options);
}

static void unlisten(struct endpoint *endpoint, struct json_fields *fields) {
  (void)fields;
  listener_close(endpoint, COMMON_LISTENER);
  connections_close_door(endpoint, COMMON_LISTENER, "listener closed");
}

static void open_listener(struct endpoint *endpoint, struct json_fields *fields) {
  struct listener_options options = read_listener(fields, 1);
  struct listener_rule rule = {.is_encrypted = options.socket.passphrase[0] != '\0'};
  rule.listener = (uint32_t)json_integer(fields, "id", 1, UINT32_MAX);
  rule.feed = (uint32_t)json_integer_or(fields, "feed", 0, UINT32_MAX, 0);
  rule.kind = read_is_sender(fields) ? ADMITTED_PLAYER : ADMITTED_PUBLISHER;
  rule.max = (uint32_t)json_integer_or(fields, "max", 1, MAX_ADMITTED, 1);
  strcpy(rule.stream_id, json_text_or(fields, "streamid", STREAM_ID_MAX, ""));
  if (link_is_complete(&endpoint->link, fields, "open-listener")) {
    connections_close_door(endpoint, rule.listener, "replaced");
    listener_open(endpoint, &options, &rule);
  }
  explicit_bzero(&options, sizeof options);
  explicit_bzero(&rule, sizeof rule);
}

static void close_listener(struct endpoint *endpoint, struct json_fields *fields) {
  uint32_t id = (uint32_t)json_integer(fields, "id", 1, UINT32_MAX);
  if (!link_is_complete(&endpoint->link, fields, "close-listener")) return;
  listener_close(endpoint, id);
  connections_close_door(endpoint, id, "listener closed");
}

/* The row is all zero: keys are padded with zeros. */
static bool read_key_row(const cJSON *item, struct key_row *row) {
  struct json_fields fields = {.object = item};
  row->feed = json_id(&fields, "feed");
  strcpy(row->push, json_text_or(&fields, "push", KEY_MAX - 1, ""));
  strcpy(row->play, json_text_or(&fields, "play", KEY_MAX - 1, ""));
  row->can_publish = json_flag_or(&fields, "publish", true);
  row->can_play = json_flag_or(&fields, "play_ok", true);
  row->is_busy = json_flag_or(&fields, "busy", false);
  row->may_replace = json_flag_or(&fields, "replace", false);
  return fields.bad == NULL;
}

static void set_keys(struct endpoint *endpoint, struct json_fields *fields) {
  const cJSON *list = json_array(fields, "list"), *item;
  uint32_t number = (uint32_t)json_integer_or(fields, "number", 0, UINT32_MAX, 0);
  if (!link_is_complete(&endpoint->link, fields, "keys")) return;
  const uint32_t count = (uint32_t)cJSON_GetArraySize(list);
  struct key_row *rows = count <= MAX_KEYS ? calloc(count + 1, sizeof *rows) : NULL;
  if (rows == NULL) {
    link_error(&endpoint->link, "keys", "too many keys", "list");
    return;
  }
  struct key_row *row = rows;
  cJSON_ArrayForEach(item, list) {
    if (read_key_row(item, row++)) continue;
    free(rows);
    link_error(&endpoint->link, "keys", "bad row", "list");
    return;
  }
  admission_set_keys(rows, count);
  connections_check_keys(endpoint);
  if (number > 0) link_report(&endpoint->link, "keys", "number:%u", number);
}

/* IPv4 and IPv6 addresses; the engine resolves names. */
static void read_hosts(struct json_fields *fields, uint16_t port, struct call_options *read) {
  const cJSON *list = json_array(fields, "hosts"), *item;
  const int count = cJSON_GetArraySize(list);
  bool is_valid = count > 0 && count <= MAX_ADDRESSES;
  cJSON_ArrayForEach(item, list) {
    is_valid = is_valid && cJSON_IsString(item) &&
               address_read(item->valuestring, port, &read->addresses[read->address_count++]);
  }
  if (!is_valid) json_mark_bad(fields, "hosts");
}

static void call(struct endpoint *endpoint, struct json_fields *fields) {
  struct call_options read = {.socket = read_socket(fields)};
  read_hosts(fields, (uint16_t)json_integer(fields, "port", 1, 65535), &read);
  uint32_t id = json_id(fields, "id");
  uint32_t feed = (uint32_t)json_integer_or(fields, "feed", 0, UINT32_MAX, 0);
  bool is_sender = read_is_sender(fields);
  strcpy(read.stream_id, json_text_or(fields, "streamid", STREAM_ID_MAX, ""));
  if (!is_sender) read.socket.overhead = 0;
  if (!link_is_complete(&endpoint->link, fields, "call")) return;
  struct call_options *options = malloc(sizeof *options);
  if (options == NULL) return;
  *options = read;
  explicit_bzero(&read, sizeof read);
  struct connection *old = connection_find(endpoint, id, true);
  if (old != NULL) connection_close(endpoint, old, "replaced", 0);
  caller_start(endpoint, id, feed, is_sender, options);
}

static void hang_up(struct endpoint *endpoint, struct json_fields *fields) {
  struct connection *connection = connection_find(endpoint, json_id(fields, "id"), true);
  if (!link_is_complete(&endpoint->link, fields, "hangup")) return;
  if (connection != NULL) connection_close(endpoint, connection, "hung up", 0);
}

static void kick(struct endpoint *endpoint, struct json_fields *fields) {
  struct connection *connection = connection_find(endpoint, json_id(fields, "conn"), false);
  if (!link_is_complete(&endpoint->link, fields, "kick")) return;
  if (connection != NULL) connection_close(endpoint, connection, "kicked", 0);
}

static void limit_rings(struct endpoint *endpoint, struct json_fields *fields) {
  uint64_t bytes = (uint64_t)json_integer(fields, "bytes", 0, INT64_MAX);
  if (link_is_complete(&endpoint->link, fields, "rings")) rings_set_limit(bytes);
}

static void drop_feed(struct endpoint *endpoint, struct json_fields *fields) {
  uint32_t id = json_id(fields, "feed");
  if (link_is_complete(&endpoint->link, fields, "drop-feed")) feed_drop(endpoint, id);
}

/* The named publisher or receiving call; NULL if it is gone. */
static struct connection *read_source(struct endpoint *endpoint, struct json_fields *fields) {
  int64_t call_id = json_integer_or(fields, "call", 0, UINT32_MAX, -1);
  const bool is_call = call_id >= 0;
  const uint32_t id = is_call ? (uint32_t)call_id : json_id(fields, "conn");
  struct connection *connection = connection_find(endpoint, id, is_call);
  if (connection == NULL || !connection_is_receiver(connection)) return connection;
  json_mark_bad(fields, is_call ? "call" : "conn");
  return NULL;
}

static void link_source(struct endpoint *endpoint, struct json_fields *fields) {
  struct connection *connection = read_source(endpoint, fields);
  uint32_t feed = json_id(fields, "feed");
  if (!link_is_complete(&endpoint->link, fields, "link") || connection == NULL) return;
  const char *fault = feed_link(endpoint, feed, connection);
  connection->decide_by = 0;
  if (fault != NULL) link_error(&endpoint->link, "link", fault, NULL);
}

static void unlink_source(struct endpoint *endpoint, struct json_fields *fields) {
  struct connection *connection = read_source(endpoint, fields);
  if (!link_is_complete(&endpoint->link, fields, "unlink") || connection == NULL) return;
  connection->decide_by = 0;
  if (connection->linked == NULL) return;
  uint32_t feed = connection->linked->id;
  feed_unlink(endpoint, connection);
  /* The engine's own packets may start before the last of these. */
  feed_drop(endpoint, feed);
}

static void set_batch(struct endpoint *endpoint, struct json_fields *fields) {
  struct connection *connection = read_source(endpoint, fields);
  int64_t ms = json_integer(fields, "ms", 0, BATCH_MS_MAX);
  bool is_prompt = json_flag_or(fields, "prompt", false);
  if (!link_is_complete(&endpoint->link, fields, "batch") || connection == NULL) return;
  connection->batch.time = MS(ms);
  connection->batch.is_prompt = is_prompt;
}

static const struct link_operation operations[] = {
    {"listen", listen_on},
    {"unlisten", unlisten},
    {"open-listener", open_listener},
    {"close-listener", close_listener},
    {"keys", set_keys},
    {"call", call},
    {"hangup", hang_up},
    {"kick", kick},
    {"link", link_source},
    {"unlink", unlink_source},
    {"batch", set_batch},
    {"drop-feed", drop_feed},
    {"rings", limit_rings},
};

void control_handle(struct endpoint *endpoint, const struct wire_frame *frame) {
  if (frame->kind == 'D') feed_append(endpoint, frame);
  else link_dispatch(&endpoint->link, frame, operations, sizeof operations / sizeof operations[0], endpoint);
}
