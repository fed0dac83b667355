#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "endpoint.h"

/* One function per operation of the engine; PROTOCOL.md describes them. */

static void read_stream(struct json_fields *fields, struct chunks *chunks) {
  if (chunks->stream_count == CHUNK_STREAMS) {
    json_mark_bad(fields, "streams");
    return;
  }
  struct chunk_stream *stream = &chunks->streams[chunks->stream_count++];
  *stream = (struct chunk_stream){
      .id = json_id(fields, "id"),
      .timestamp = json_id(fields, "timestamp"),
      .delta = json_id(fields, "delta"),
      .has_extended = json_flag_or(fields, "extended", false),
      .length = (uint32_t)json_integer(fields, "length", 0, 0xffffff),
      .type = (uint8_t)json_integer(fields, "type", 0, 255),
  };
}

static void read_chunks(struct json_fields *fields, struct chunks *chunks) {
  chunks->chunk_bytes = (uint32_t)json_integer(fields, "chunk", 1, CHUNK_BYTES_MAX);
  const cJSON *list = json_array(fields, "streams"), *item;
  cJSON_ArrayForEach(item, list) {
    struct json_fields stream = {.object = item};
    read_stream(&stream, chunks);
    if (stream.bad != NULL) json_mark_bad(fields, stream.bad);
  }
}

/* Absent if the publisher has sent none. */
static struct track read_track(struct json_fields *fields, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(fields->object, key);
  if (item == NULL) return (struct track){.is_known = false};
  struct json_fields track = {.object = item};
  const struct track read = {
      .is_known = true,
      .format = json_id(&track, "format"),
      .timestamp = json_id(&track, "timestamp"),
      .offset = json_id(&track, "offset"),
  };
  if (track.bad != NULL) json_mark_bad(fields, key);
  return read;
}

static int digit(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

/* From hexadecimal digits. */
static void read_header(struct json_fields *fields, struct header *header) {
  const char *text = json_text(fields, "body", 2, (size_t)2 * HEADER_BYTES_MAX);
  header->type = (uint8_t)json_integer(fields, "type", 0, 255);
  if (fields->bad != NULL || strlen(text) % 2 != 0 || (header->body = malloc(strlen(text) / 2)) == NULL) {
    json_mark_bad(fields, "body");
    return;
  }
  for (; text[0] != '\0'; text += 2) {
    const int high = digit(text[0]), low = digit(text[1]);
    if (high < 0 || low < 0) json_mark_bad(fields, "body");
    header->body[header->length++] = (uint8_t)(high * 16 + low);
  }
}

static void read_headers(struct json_fields *fields, struct publisher *publisher) {
  const cJSON *list = json_array(fields, "headers"), *item;
  cJSON_ArrayForEach(item, list) {
    struct json_fields header = {.object = item};
    if (publisher->header_count == MAX_HEADERS) json_mark_bad(fields, "headers");
    else read_header(&header, &publisher->headers[publisher->header_count++]);
    if (header.bad != NULL) json_mark_bad(fields, header.bad);
  }
}

/* A descriptor and a place. Reports what is missing. */
static int take_descriptor(struct endpoint *endpoint, const char *operation) {
  const int fd = wire_take_descriptor(&endpoint->link.wire);
  if (fd < 0) {
    link_error(&endpoint->link, operation, "no descriptor", NULL);
    return -1;
  }
  if (endpoint->connection_count < MAX_CONNECTIONS) return fd;
  close(fd);
  return -1;
}

static void take_publisher(struct endpoint *endpoint, struct json_fields *fields) {
  const int fd = take_descriptor(endpoint, "publisher");
  struct publisher *publisher = calloc(1, sizeof *publisher);
  if (publisher != NULL) {
    publisher->id = json_id(fields, "id");
    read_chunks(fields, &publisher->chunks);
    publisher->audio = read_track(fields, "audio");
    publisher->video = read_track(fields, "video");
    read_headers(fields, publisher);
    if (fd >= 0 && link_is_complete(&endpoint->link, fields, "publisher")) {
      publisher_open(endpoint, publisher, fd);
      return;
    }
  }
  const uint32_t id = json_id(fields, "id");
  if (publisher != NULL) publisher_free(publisher);
  if (fd >= 0) close(fd);
  link_report(&endpoint->link, "returned", "id:%u reason:%s", id, "refused");
}

static void take_player(struct endpoint *endpoint, struct json_fields *fields) {
  const int fd = take_descriptor(endpoint, "player");
  const uint32_t id = json_id(fields, "id");
  struct publisher *publisher = publisher_find(endpoint, json_id(fields, "publisher"));
  const uint64_t message = (uint64_t)json_integer(fields, "message", 0, INT64_C(1) << 52);
  const bool is_complete = link_is_complete(&endpoint->link, fields, "player");
  bool is_taken = false;
  if (fd >= 0) {
    if (is_complete && publisher != NULL) is_taken = player_open(endpoint, publisher, id, message, fd);
    else close(fd);
  }
  link_report(&endpoint->link, is_taken ? "taken" : "refused", "id:%u", id);
  if (is_taken) player_send(endpoint, player_find(endpoint, id));
}

static void give_back(struct endpoint *endpoint, struct json_fields *fields) {
  const uint32_t id = json_id(fields, "id");
  if (!link_is_complete(&endpoint->link, fields, "return")) return;
  struct publisher *publisher = publisher_find(endpoint, id);
  struct player *player = player_find(endpoint, id);
  if (publisher != NULL) publisher_return(endpoint, publisher, "asked");
  else if (player != NULL) player_return(endpoint, player, "asked");
}

static void drop(struct endpoint *endpoint, struct json_fields *fields) {
  const uint32_t id = json_id(fields, "id");
  if (!link_is_complete(&endpoint->link, fields, "drop")) return;
  struct publisher *publisher = publisher_find(endpoint, id);
  struct player *player = player_find(endpoint, id);
  if (publisher != NULL) publisher_drop(endpoint, publisher);
  else if (player != NULL) player_close(endpoint, player);
}

static void set_read(struct endpoint *endpoint, struct json_fields *fields) {
  struct publisher *publisher = publisher_find(endpoint, json_id(fields, "id"));
  const bool is_read = json_flag_or(fields, "on", false);
  if (!link_is_complete(&endpoint->link, fields, "read") || publisher == NULL) return;
  publisher->is_read = is_read;
  if (is_read) batch_flush(endpoint, publisher);
}

void put_totals(struct json_writer *json, uint32_t id, const struct totals *totals) {
  json_put_integer(json, "id", id);
  json_put_integer(json, "received", (int64_t)totals->received);
  json_put_integer(json, "bytes", (int64_t)totals->bytes);
  json_put_integer(json, "video", (int64_t)totals->video);
  json_put_integer(json, "audio", (int64_t)totals->audio);
}

static void put_player(struct json_writer *json, const struct endpoint *endpoint, const struct player *player) {
  json_open_object(json);
  json_put_integer(json, "id", player->id);
  json_put_integer(json, "bytes", (int64_t)player->bytes);
  const int64_t behind = player->behind_since == 0 ? 0 : endpoint->now - player->behind_since;
  if (behind > 0) json_put_integer(json, "lag_ms", behind / 1000);
  json_close_object(json);
}

static void report(struct endpoint *endpoint, struct json_fields *fields) {
  struct publisher *publisher;
  const struct player *player;
  (void)fields;
  TAILQ_FOREACH(publisher, &endpoint->publishers, entry) {
    if (!publisher->is_skipping) batch_flush(endpoint, publisher);
  }
  struct json_writer *json = link_event(&endpoint->link, "stats");
  json_open_list(json, "list");
  TAILQ_FOREACH(publisher, &endpoint->publishers, entry) {
    TAILQ_FOREACH(player, &publisher->players, entry) put_player(json, endpoint, player);
  }
  json_close_list(json);
  json_open_list(json, "publishers");
  TAILQ_FOREACH(publisher, &endpoint->publishers, entry) {
    json_open_object(json);
    put_totals(json, publisher->id, &publisher->totals);
    json_close_object(json);
  }
  json_close_list(json);
  link_send(&endpoint->link);
}

static const struct link_operation operations[] = {
    {"publisher", take_publisher}, {"player", take_player}, {"return", give_back}, {"drop", drop},
    {"read", set_read},           {"report", report},
};

void control_handle(struct endpoint *endpoint, const struct wire_frame *frame) {
  if (frame->kind == 'D') link_error(&endpoint->link, "data", "no data is sent to this endpoint", NULL);
  else link_dispatch(&endpoint->link, frame, operations, sizeof operations / sizeof operations[0], endpoint);
}
