
#include "marker.h"

#include <string.h>

enum { nal_sei = 6, sei_user_data_unregistered = 5 };

const uint8_t marker_id[MARKER_ID_SIZE] = {'S', 'i', 'g', 'n', 'a', 'l', 'b', 'o', 'x', 'B', 'e', 'n', 'c', 'h', 'v', '1'};

static void format_hex(uint8_t *text, uint64_t value, int digits) {
  for (int i = digits - 1; i >= 0; i--, value >>= 4) text[i] = (uint8_t)"0123456789abcdef"[value & 15];
}

static int parse_hex(const uint8_t *text, int digits, uint64_t *value) {
  *value = 0;
  for (int i = 0; i < digits; i++) {
    const uint8_t c = text[i];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return 0;
    *value = *value << 4 | (uint64_t)digit;
  }
  return 1;
}

void marker_write_nal(uint8_t nal[MARKER_NAL_SIZE]) {
  nal[0] = nal_sei;
  nal[1] = sei_user_data_unregistered;
  nal[2] = MARKER_ID_SIZE + MARKER_STAMP_SIZE;
  memcpy(nal + 3, marker_id, MARKER_ID_SIZE);
  marker_format(nal + 3 + MARKER_ID_SIZE, (struct marker_stamp){0, 0});
  nal[MARKER_NAL_SIZE - 1] = 0x80;
}

void marker_format(uint8_t text[MARKER_STAMP_SIZE], struct marker_stamp stamp) {
  format_hex(text, stamp.sent_ns, 16);
  format_hex(text + 16, stamp.frame, 8);
}

ptrdiff_t marker_find(const uint8_t *data, size_t size) {
  const uint8_t *hit = memmem(data, size, marker_id, MARKER_ID_SIZE);
  if (hit == NULL) return -1;
  const ptrdiff_t stamp = hit - data + MARKER_ID_SIZE;
  return (size_t)stamp + MARKER_STAMP_SIZE <= size ? stamp : -1;
}

int marker_parse(const uint8_t *text, struct marker_stamp *stamp) {
  uint64_t frame;
  if (!parse_hex(text, 16, &stamp->sent_ns) || !parse_hex(text + 16, 8, &frame)) return 0;
  stamp->frame = (uint32_t)frame;
  return 1;
}
