#ifndef SIGNALBOX_WAKE_HOLD_H
#define SIGNALBOX_WAKE_HOLD_H

/* Between these two calls, signals from this thread do not wake libsrt's threads; the second call wakes them all. No
   socket may be closed in between: the signaled objects must exist until then. */
void wake_hold(void);
void wake_release(void);

#endif
