#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"
#include "endpoint.h"

/* One function per operation of the engine; PROTOCOL.md describes them. */

enum { FLAG_ENTRY = 1, FLAG_TABLES = 2 };
enum { BATCH_MS = 5, BATCH_MS_MAX = 1000, TTL_MAX = 255 };

/* Names are looked up by the engine. */
static struct in_addr address_or(struct json_fields *fields, const char *key, const char *fallback) {
  struct in_addr address = {0};
  const char *text = json_text_or(fields, key, INET_ADDRSTRLEN, fallback);
  if (text[0] != '\0' && inet_pton(AF_INET, text, &address) != 1 && fields->bad == NULL) fields->bad = key;
  return address;
}

/* The IPv4 address of the interface of this name. */
static bool address_of_interface(const char *name, struct in_addr *address) {
  struct ifreq request = {0};
  if (strlen(name) >= sizeof request.ifr_name) return false;
  strcpy(request.ifr_name, name);
  request.ifr_addr.sa_family = AF_INET;
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool is_found = ioctl(fd, SIOCGIFADDR, &request) == 0;
  close(fd);
  struct sockaddr_in found;
  memcpy(&found, &request.ifr_addr, sizeof found);
  *address = found.sin_addr;
  return is_found;
}

/* An address of this machine, or the name of an interface. */
static struct in_addr local_address(struct json_fields *fields) {
  struct in_addr address = {0};
  const char *text = json_text_or(fields, "interface", 64, "");
  if (text[0] == '\0' || inet_pton(AF_INET, text, &address) == 1) return address;
  if (!address_of_interface(text, &address) && fields->bad == NULL) fields->bad = "interface";
  return address;
}

static uint32_t read_id(struct json_fields *fields, const char *key) {
  return (uint32_t)json_integer(fields, key, 0, UINT32_MAX);
}

static void receive(void *context, struct json_fields *fields) {
  struct endpoint *endpoint = context;
  uint32_t id = read_id(fields, "id");
  struct input_options options = {
      .host = address_or(fields, "host", "0.0.0.0"),
      .local = local_address(fields),
      .source = address_or(fields, "source", ""),
      .port = (uint16_t)json_integer(fields, "port", 1, 65535),
      .is_rtp = json_flag_or(fields, "rtp", false),
      .batch_time = MS(json_integer_or(fields, "batch", 0, BATCH_MS_MAX, BATCH_MS)),
  };
  if (fields->bad == NULL) input_open(endpoint, id, &options);
  else input_failed(endpoint, id, "bad field", fields->bad);
}

static void send_to(void *context, struct json_fields *fields) {
  struct endpoint *endpoint = context;
  uint32_t id = read_id(fields, "id");
  uint32_t feed = read_id(fields, "feed");
  json_text(fields, "host", 1, INET_ADDRSTRLEN);
  struct output_options options = {
      .host = address_or(fields, "host", ""),
      .local = local_address(fields),
      .port = (uint16_t)json_integer(fields, "port", 1, 65535),
      .ttl = (int)json_integer_or(fields, "ttl", 0, TTL_MAX, 0),
      .is_rtp = json_flag_or(fields, "rtp", false),
  };
  if (fields->bad == NULL) output_open(endpoint, id, feed, &options);
  else output_failed(endpoint, id, "bad field", fields->bad);
}

static void stop_receive(void *context, struct json_fields *fields) {
  struct endpoint *endpoint = context;
  uint32_t id = read_id(fields, "id");
  if (link_is_complete(&endpoint->link, fields, "stop-receive")) input_close(endpoint, id);
}

static void stop_send(void *context, struct json_fields *fields) {
  struct endpoint *endpoint = context;
  uint32_t id = read_id(fields, "id");
  if (link_is_complete(&endpoint->link, fields, "stop-send")) output_close(endpoint, id);
}

static void link_input(void *context, struct json_fields *fields) {
  struct endpoint *endpoint = context;
  uint32_t id = read_id(fields, "input");
  uint32_t feed = read_id(fields, "feed");
  if (!link_is_complete(&endpoint->link, fields, "link")) return;
  struct input *input = input_find(endpoint, id);
  if (input == NULL) return;
  input->feed = feed;
  input->is_linked = true;
}

static void unlink_input(void *context, struct json_fields *fields) {
  struct endpoint *endpoint = context;
  uint32_t id = read_id(fields, "input");
  if (!link_is_complete(&endpoint->link, fields, "unlink")) return;
  struct input *input = input_find(endpoint, id);
  if (input != NULL) input->is_linked = false;
}

static void set_batch(void *context, struct json_fields *fields) {
  struct endpoint *endpoint = context;
  uint32_t id = read_id(fields, "input");
  int64_t ms = json_integer(fields, "ms", 0, BATCH_MS_MAX);
  if (!link_is_complete(&endpoint->link, fields, "batch")) return;
  struct input *input = input_find(endpoint, id);
  if (input != NULL) input->batch_time = MS(ms);
}

static void drop_feed(void *context, struct json_fields *fields) {
  struct endpoint *endpoint = context;
  uint32_t id = read_id(fields, "feed");
  if (!link_is_complete(&endpoint->link, fields, "drop-feed")) return;
  struct feed *feed = feed_find(endpoint, id);
  if (feed != NULL) feed_drop(feed);
}

static void report(void *context, struct json_fields *fields) {
  (void)fields;
  stats_send(context);
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
  /* No output of the channel is left: these were on their way already. */
  if (feed == NULL) return;
  if ((frame->flags & FLAG_TABLES) != 0) feed_know_tables(feed, frame->payload, frame->length);
  else feed_append(endpoint, feed, frame->payload, frame->length, (frame->flags & FLAG_ENTRY) != 0);
}

void control_handle(void *context, const struct wire_frame *frame) {
  struct endpoint *endpoint = context;
  if (frame->kind == 'D') take_data(endpoint, frame);
  else link_dispatch(&endpoint->link, frame, operations, sizeof operations / sizeof operations[0], endpoint);
}
