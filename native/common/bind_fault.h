#ifndef SIGNALBOX_BIND_FAULT_H
#define SIGNALBOX_BIND_FAULT_H

/* The engine's name for a bind() error: `busy`, `denied`, `no address` or `internal`. */
const char *bind_fault(int fault);

#endif
