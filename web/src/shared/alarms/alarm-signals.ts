/** How this browser draws attention to a new alarm: a sound, a notification of the system. Stored in this browser. */
import { create } from 'zustand';

type Signal = 'sound' | 'notification';
const keyOf = (signal: Signal) => `signalbox-alarm-${signal}`;

function isStored(signal: Signal): boolean {
  try {
    return localStorage.getItem(keyOf(signal)) === 'on';
  } catch {
    return false;
  }
}

export const useAlarmSignals = create<Record<Signal, boolean>>(() => ({
  sound: isStored('sound'),
  notification: isStored('notification') && mayNotify(),
}));

function keep(signal: Signal, isOn: boolean): void {
  try {
    if (isOn) localStorage.setItem(keyOf(signal), 'on');
    else localStorage.removeItem(keyOf(signal));
  } catch {
    // Storage is blocked: the choice lasts until the page is left.
  }
  useAlarmSignals.setState({ [signal]: isOn });
}

/** Browsers offer notifications only over HTTPS and on the machine itself. */
export const canNotify = () => 'Notification' in window && window.isSecureContext;

function mayNotify(): boolean {
  return typeof window !== 'undefined' && canNotify() && Notification.permission === 'granted';
}

/** Plays the sound once, as a sample, and because browsers allow sound only after a user has asked for it. */
export function switchSound(isOn: boolean): void {
  keep('sound', isOn);
  if (isOn) playAlarmSound('warning');
}

/** Shows `sample` and resolves with whether notifications are on: the user or the browser may refuse them. */
export async function switchNotification(isOn: boolean, sample: string): Promise<boolean> {
  const may = isOn && canNotify() && (await Notification.requestPermission()) === 'granted' && notify(sample, '', 0);
  keep('notification', may);
  return may;
}

let audio: AudioContext | undefined;

/** Two rising tones for a warning, four for a lost program. */
export function playAlarmSound(severity: 'critical' | 'warning'): void {
  audio ??= new AudioContext();
  void audio.resume();
  const tones = severity === 'critical' ? [660, 880, 660, 880] : [660, 880];
  const from = audio.currentTime + 0.05;
  for (const [at, hertz] of tones.entries()) beep(audio, hertz, from + at * 0.22);
}

const toneSeconds = 0.18;
const loudness = 0.25;

function beep(context: AudioContext, hertz: number, at: number): void {
  const oscillator = new OscillatorNode(context, { frequency: hertz });
  const gain = new GainNode(context, { gain: 0 });
  // Without ramps the tone would begin and end with a click.
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(loudness, at + 0.02);
  gain.gain.setValueAtTime(loudness, at + toneSeconds - 0.04);
  gain.gain.linearRampToValueAtTime(0, at + toneSeconds);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + toneSeconds);
}

/** `id`: of the newest alarm. Other tabs of this browser replace the notification of the same alarm. */
export function notifyOfAlarm(title: string, text: string, id: number): void {
  if (mayNotify()) notify(title, text, id);
}

/** Returns whether it worked: Chrome for Android grants the permission, but lets no page create a notification. */
function notify(title: string, body: string, id: number): boolean {
  try {
    const notification = new Notification(title, { body, tag: `signalbox-alarm-${id}` });
    notification.onclick = () => window.focus();
    return true;
  } catch {
    return false;
  }
}
