#ifndef SIGNALBOX_LOG_H
#define SIGNALBOX_LOG_H

/* Writes one line to stderr: "level text". Never blocks: a line that does not fit into the pipe is dropped. */
void log_line(const char *level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_warn(...) log_line("warn", __VA_ARGS__)
#define log_error(...) log_line("error", __VA_ARGS__)

#endif
