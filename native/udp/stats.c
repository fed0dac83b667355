#include <errno.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>

#include "endpoint.h"

/* Datagrams that the kernel dropped because they were not read in time. */
static uint32_t overruns_of(const struct input *input) {
  uint32_t memory[SK_MEMINFO_VARS] = {0};
  socklen_t length = sizeof memory;
  return getsockopt(input->fd, SOL_SOCKET, SO_MEMINFO, memory, &length) == 0 ? memory[SK_MEMINFO_DROPS] : 0;
}

static void put_input(struct json_writer *json, const struct input *input) {
  json_open_object(json);
  json_put_integer(json, "input", input->id);
  json_put_integer(json, "bytes", (int64_t)input->bytes);
  json_put_integer(json, "datagrams", (int64_t)input->datagrams);
  json_put_integer(json, "overruns", overruns_of(input));
  json_put_integer(json, "dropped_bytes", (int64_t)input->dropped_bytes);
  json_put_integer(json, "refused", (int64_t)input->refused);
  const double jitter = input->options.is_rtp ? input->order.jitter : input->pcr_jitter.jitter;
  json_put_number(json, "jitter", jitter / 90, 2);
  if (input->options.is_rtp) {
    json_put_integer(json, "lost", (int64_t)input->order.lost);
    json_put_integer(json, "reordered", (int64_t)input->order.reordered);
    json_put_integer(json, "late", (int64_t)input->order.late);
  }
  json_close_object(json);
}

static void put_output(struct json_writer *json, struct output *output) {
  json_open_object(json);
  json_put_integer(json, "output", output->id);
  json_put_integer(json, "bytes", (int64_t)output->bytes);
  json_put_integer(json, "lost", (int64_t)output->lost);
  if (output->fault != 0) json_put_text(json, "fault", strerror(output->fault));
  output->fault = 0;
  json_close_object(json);
}

void stats_send(struct endpoint *endpoint) {
  const struct input *input;
  struct output *output;
  struct json_writer *json = link_event(&endpoint->link, "stats");
  json_open_list(json, "list");
  TAILQ_FOREACH(input, &endpoint->inputs, entry_in_all) put_input(json, input);
  TAILQ_FOREACH(output, &endpoint->outputs, entry_in_all) put_output(json, output);
  json_close_list(json);
  link_send(&endpoint->link);
}
