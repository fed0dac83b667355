#include "stream_id.h"

#include <srt/access_control.h>
#include <string.h>

bool stream_key_equal(const char left[KEY_MAX], const char right[KEY_MAX]) {
  unsigned difference = 0;
  for (int i = 0; i < KEY_MAX; i++) difference |= (unsigned)(unsigned char)(left[i] ^ right[i]);
  return difference == 0;
}

static int read_mode(const char *value, size_t length, enum stream_mode *mode) {
  if (length == 7 && memcmp(value, "publish", 7) == 0) *mode = MODE_PUBLISH;
  else if (length == 7 && memcmp(value, "request", 7) == 0) *mode = MODE_REQUEST;
  else return SRT_REJX_BAD_MODE;
  return 0;
}

static bool begins_with(const char *text, size_t length, const char *word) {
  return length >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/* Also the forms that callers use for other servers: `publish:KEY` and `read:KEY` followed by a user and password,
   preceded by a path, or followed by a query. Keys do not contain these characters. */
static int read_key(char out[KEY_MAX], const char *text, size_t length, enum stream_mode *mode) {
  if (begins_with(text, length, "publish:")) *mode = MODE_PUBLISH;
  else if (begins_with(text, length, "read:")) *mode = MODE_REQUEST;
  const char *from = text;
  if (*mode != MODE_ANY) from = (const char *)memchr(text, ':', length) + 1;
  const char *end = text + length;
  for (const char *at = from; at < end; at++) {
    if (*at == '?' || *at == ':') end = at;
  }
  while (end > from && end[-1] == '/') end--;
  for (const char *at = from; at < end; at++) {
    if (*at == '/') from = at + 1;
  }
  memset(out, 0, KEY_MAX);
  if (end - from >= KEY_MAX) return SRT_REJX_BAD_REQUEST;
  memcpy(out, from, (size_t)(end - from));
  return 0;
}

static int read_fields(const char *at, struct stream_id *id) {
  char user[KEY_MAX] = {0};
  while (*at != '\0') {
    size_t length = strcspn(at, ",");
    if (length < 2 || at[1] != '=') {
      const char *equals = memchr(at, '=', length);
      if (equals == NULL || equals == at) return SRT_REJX_BAD_REQUEST;
    } else {
      const char *value = at + 2;
      int rejected = 0;
      enum stream_mode named = MODE_ANY;
      if (at[0] == 'r') rejected = read_key(id->key, value, length - 2, &named);
      else if (at[0] == 'u') rejected = read_key(user, value, length - 2, &named);
      else if (at[0] == 'm') rejected = read_mode(value, length - 2, &id->mode);
      if (named != MODE_ANY) id->mode = named;
      if (rejected != 0) return rejected;
    }
    at += length;
    if (*at == ',') at++;
  }
  if (id->key[0] == '\0') memcpy(id->key, user, KEY_MAX);
  return id->key[0] == '\0' ? SRT_REJX_BAD_REQUEST : 0;
}

int stream_id_parse(const char *text, struct stream_id *id) {
  memset(id, 0, sizeof *id);
  if (strnlen(text, STREAM_ID_MAX + 1) > STREAM_ID_MAX) return SRT_REJX_BAD_REQUEST;
  if (strncmp(text, "#!::", 4) == 0) return read_fields(text + 4, id);
  if (strncmp(text, "#!", 2) == 0) return SRT_REJX_BAD_REQUEST;
  const int rejected = read_key(id->key, text, strlen(text), &id->mode);
  return rejected == 0 && id->key[0] == '\0' ? SRT_REJX_BAD_REQUEST : rejected;
}
