#include "options.h"

#include "fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *option_text(const struct options *options, const char *name, const char *fallback) {
  const size_t length = strlen(name);
  for (int i = 0; i < options->count; i++) {
    const char *pair = options->pairs[i];
    if (strncmp(pair, name, length) == 0 && pair[length] == '=') return pair + length + 1;
  }
  if (fallback == NULL) fail("%s= is missing", name);
  return fallback;
}

long option_number(const struct options *options, const char *name, long fallback) {
  const char *text = option_text(options, name, "");
  if (*text == '\0') return fallback;
  char *end;
  const long value = strtol(text, &end, 10);
  if (*end != '\0') fail("%s=%s is not a number", name, text);
  return value;
}

void put_number(char *out, size_t size, const char *text, long number) {
  const char *at = strstr(text, "{}");
  const int used = at == NULL ? snprintf(out, size, "%s", text)
                              : snprintf(out, size, "%.*s%ld%s", (int)(at - text), text, number, at + 2);
  if (used < 0 || (size_t)used >= size) fail("%s is too long", text);
}

struct address parse_address(const char *url) {
  struct address address = {0};
  const int fields = sscanf(url, "%15[a-z-]://%63[0-9.]:%d/%255s", address.scheme, address.host, &address.port, address.path);
  if (fields < 3) fail("%s is not scheme://address:port", url);
  return address;
}
