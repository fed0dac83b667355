#include <string.h>

#include "clock.h"
#include "endpoint.h"

/* One function per operation of the engine; PROTOCOL.md describes them. */

enum { BATCH_MS = 5, BATCH_MS_MAX = 1000, TTL_MAX = 255 };

/* The engine resolves names. */
static union address read_address(struct json_fields *fields, const char *key, const char *fallback, uint16_t port) {
  union address address = {.any.sa_family = AF_UNSPEC};
  const char *text = json_text_or(fields, key, INET6_ADDRSTRLEN, fallback);
  if (text[0] != '\0' && !address_read(text, port, &address)) json_mark_bad(fields, key);
  return address;
}

/* An address of this machine, or the name of an interface. */
static void read_interface(struct json_fields *fields, char interface[INTERFACE_TEXT]) {
  strcpy(interface, json_text_or(fields, "interface", INTERFACE_TEXT - 1, ""));
}

static void receive(struct endpoint *endpoint, struct json_fields *fields) {
  uint32_t id = json_id(fields, "id");
  const uint16_t port = (uint16_t)json_integer(fields, "port", 1, 65535);
  struct input_options options = {
      .host = read_address(fields, "host", "0.0.0.0", port),
      .source = read_address(fields, "source", "", 0),
      .is_rtp = json_flag_or(fields, "rtp", false),
      .batch_time = MS(json_integer_or(fields, "batch", 0, BATCH_MS_MAX, BATCH_MS)),
  };
  read_interface(fields, options.interface);
  if (fields->bad == NULL) input_open(endpoint, id, &options);
  else link_failed(&endpoint->link, "input-failed", id, "bad field", fields->bad);
}

static void send_to(struct endpoint *endpoint, struct json_fields *fields) {
  uint32_t id = json_id(fields, "id");
  uint32_t feed = json_id(fields, "feed");
  json_text(fields, "host", 1, INET6_ADDRSTRLEN);
  const uint16_t port = (uint16_t)json_integer(fields, "port", 1, 65535);
  struct output_options options = {
      .host = read_address(fields, "host", "", port),
      .ttl = (int)json_integer_or(fields, "ttl", 0, TTL_MAX, 0),
      .is_rtp = json_flag_or(fields, "rtp", false),
  };
  read_interface(fields, options.interface);
  if (fields->bad == NULL) output_open(endpoint, id, feed, &options);
  else link_failed(&endpoint->link, "output-failed", id, "bad field", fields->bad);
}

static void stop_receive(struct endpoint *endpoint, struct json_fields *fields) {
  struct input *input = input_find(endpoint, json_id(fields, "id"));
  if (link_is_complete(&endpoint->link, fields, "stop-receive") && input != NULL) input_close(endpoint, input);
}

static void stop_send(struct endpoint *endpoint, struct json_fields *fields) {
  struct output *output = output_find(endpoint, json_id(fields, "id"));
  if (link_is_complete(&endpoint->link, fields, "stop-send") && output != NULL) output_close(endpoint, output);
}

static void link_input(struct endpoint *endpoint, struct json_fields *fields) {
  struct input *input = input_find(endpoint, json_id(fields, "input"));
  uint32_t feed = json_id(fields, "feed");
  if (!link_is_complete(&endpoint->link, fields, "link") || input == NULL) return;
  input->feed = feed;
  input->is_linked = true;
}

static void unlink_input(struct endpoint *endpoint, struct json_fields *fields) {
  struct input *input = input_find(endpoint, json_id(fields, "input"));
  if (link_is_complete(&endpoint->link, fields, "unlink") && input != NULL) input->is_linked = false;
}

static void set_batch(struct endpoint *endpoint, struct json_fields *fields) {
  struct input *input = input_find(endpoint, json_id(fields, "input"));
  int64_t ms = json_integer(fields, "ms", 0, BATCH_MS_MAX);
  if (link_is_complete(&endpoint->link, fields, "batch") && input != NULL) input->options.batch_time = MS(ms);
}

static void drop_feed(struct endpoint *endpoint, struct json_fields *fields) {
  struct feed *feed = feed_find(endpoint, json_id(fields, "feed"));
  if (link_is_complete(&endpoint->link, fields, "drop-feed") && feed != NULL) feed_drop(feed);
}

static void report(struct endpoint *endpoint, struct json_fields *fields) {
  (void)fields;
  stats_send(endpoint);
}

static const struct link_operation operations[] = {
    {"receive", receive}, {"stop-receive", stop_receive}, {"send", send_to},        {"stop-send", stop_send},
    {"link", link_input}, {"unlink", unlink_input},       {"drop-feed", drop_feed}, {"report", report},
    {"batch", set_batch},
};

static void take_data(struct endpoint *endpoint, const struct wire_frame *frame) {
  if (frame->length % TS_PACKET != 0) {
    link_error(&endpoint->link, "data", "not whole TS packets", NULL);
    return;
  }
  struct feed *feed = feed_find(endpoint, frame->id);
  /* The channel has no outputs left: these bytes were already on their way. */
  if (feed == NULL) return;
  if ((frame->flags & FLAG_TABLES) != 0) feed_know_tables(feed, frame->payload, frame->length);
  else feed_append(endpoint, feed, frame->payload, frame->length, (frame->flags & FLAG_ENTRY) != 0);
}

void control_handle(struct endpoint *endpoint, const struct wire_frame *frame) {
  if (frame->kind == 'D') take_data(endpoint, frame);
  else link_dispatch(&endpoint->link, frame, operations, sizeof operations / sizeof operations[0], endpoint);
}
