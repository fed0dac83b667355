#ifndef SIGNALBOX_BIND_FAULT_H
#define SIGNALBOX_BIND_FAULT_H

/* What the engine calls it that a port can't be bound: `busy`, `denied`, `no address` or `internal`. */
const char *bind_fault(int fault);

#endif
