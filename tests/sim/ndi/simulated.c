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

int simulated_number(const char *name) {
  char other[NAME_BYTES];
  for (int number = 0; simulated_name(number, other); number++) {
    if (strcmp(name, other) == 0) return number;
  }
  return -1;
}

/* The segments of each digit: top, upper left, upper right, middle, lower left, lower right, bottom. */
static const char *digits[] = {"1110111", "0010010", "1011101", "1011011", "0111010",
                               "1101011", "1101111", "1010010", "1111111", "1111011"};

/* Whether a pixel of a digit is set, in a box of 3 by 5. */
static bool is_set(int digit, int x, int y) {
  const char *segment = digits[digit];
  if (y % 2 == 0 && segment[y / 2 * 3] == '1') return true;
  for (int upper = y < 3 ? 0 : 1; upper <= (y > 1 ? 1 : 0); upper++) {
    if ((x == 0 && segment[upper * 3 + 1] == '1') || (x == 2 && segment[upper * 3 + 2] == '1')) return true;
  }
  return false;
}

/* Its number in white on a color of its own, below a bar that crosses the picture every four seconds. */
void simulated_picture(struct video_frame *frame, int number, uint64_t ms) {
  enum { WIDTH = SIMULATED_WIDTH, HEIGHT = SIMULATED_HEIGHT, DOT = HEIGHT / 10, PERIOD_MS = 4000 };
  static const uint8_t colors[][2] = {{198, 128}, {79, 177}, {128, 58}, {177, 177}, {58, 128}, {177, 79}, {128, 198}, {79, 79}};
  uint8_t u = colors[number % 8][0], v = colors[number % 8][1];
  int bar = (int)(ms % PERIOD_MS * WIDTH / PERIOD_MS);
  int shown[2] = {(number + 1) / 10 % 10, (number + 1) % 10};
  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x += 2) {
      int column = (x - WIDTH / 2 + 4 * DOT) / DOT, row = (y - HEIGHT / 4) / DOT;
      bool is_digit = x >= WIDTH / 2 - 4 * DOT && column < 7 && column != 3 && y >= HEIGHT / 4 && row < 5 &&
                      is_set(shown[column / 4], column % 4, row);
      bool is_bar = y < HEIGHT / 12 && x >= bar && x < bar + WIDTH / 8;
      uint8_t *pair = frame->data + (size_t)y * (size_t)frame->stride + (size_t)x * 2;
      uint8_t luma = is_digit || is_bar ? 235 : 90;
      pair[0] = is_digit || is_bar ? 128 : u;
      pair[2] = is_digit || is_bar ? 128 : v;
      pair[1] = pair[3] = luma;
    }
  }
}

/* A triangle wave. A frame has a whole number of periods, so that frames join. */
void simulated_sound(struct audio_frame *frame) {
  enum { PERIOD = 48 };
  float *samples = (float *)(void *)frame->data;
  for (int at = 0; at < frame->channels * frame->samples; at++) {
    int phase = at % PERIOD, rising = phase < PERIOD / 2 ? phase : PERIOD - phase;
    samples[at] = 0.1f * ((float)rising / (PERIOD / 4) - 1);
  }
}
