/*
 * Simulated sources: they are there without a process that sends them. NDI_DOUBLE_SOURCES, or SOURCES when the double
 * is compiled, has their full names with semicolons between, or a number N for `SIM (Cam 1)` to `SIM (Cam N)`.
 */
#include "double.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SOURCES
#define SOURCES ""
#endif

bool simulated_name(int number, char *name) {
  const char *given = getenv("NDI_DOUBLE_SOURCES");
  const char *at = given ? given : SOURCES;
  if (isdigit((unsigned char)*at)) {
    snprintf(name, NAME_BYTES, "SIM (Cam %d)", number + 1);
    return number < atoi(at);
  }
  for (; number > 0 && at; number--) {
    at = strchr(at, ';');
    if (at) at++;
  }
  if (!at || *at == '\0') return false;
  snprintf(name, NAME_BYTES, "%.*s", (int)strcspn(at, ";"), at);
  return true;
}
