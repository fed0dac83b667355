/* Commands on stdin, one per line: `mark` starts a window, `report` prints it, `stop` (or end of file) ends the tool. */
#ifndef BENCH_CONTROL_H
#define BENCH_CONTROL_H

enum control_order { control_none, control_mark, control_report, control_stop };

/* Reads stdin on a separate thread. */
void control_start(void);
enum control_order control_take(void);

#endif
