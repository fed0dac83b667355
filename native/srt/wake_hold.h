#ifndef SIGNALBOX_WAKE_HOLD_H
#define SIGNALBOX_WAKE_HOLD_H

/* Between the two nothing that this thread signals to libsrt's threads wakes them; the second wakes them all. No socket
   may be closed between: what is signalled has to live until then. */
void wake_hold(void);
void wake_release(void);

#endif
