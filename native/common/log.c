#include "log.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void log_line(const char *level, const char *format, ...) {
  char line[1024];
  int used = snprintf(line, sizeof line, "%s ", level);
  if (used < 0) return;
  va_list arguments;
  va_start(arguments, format);
  int more = vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
  va_end(arguments);
  if (more < 0) return;
  size_t length = (size_t)used + (size_t)more;
  if (length > sizeof line - 2) length = sizeof line - 2;
  line[length++] = '\n';
  /* stderr is a pipe to the engine; a pipe reports POLLOUT only with room for a whole line. */
  struct pollfd pipe_end = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&pipe_end, 1, 0) != 1 || (pipe_end.revents & POLLOUT) == 0) return;
  ssize_t written = write(STDERR_FILENO, line, length);
  (void)written;
}
