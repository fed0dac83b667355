import { useFormat } from '../i18n/useFormat.ts';

/** When something was: of today the clock alone, and the whole on hover. */
export function Moment({ time }: { time: number }) {
  const format = useFormat();
  const exact = format.dateTime(time);
  const isToday = new Date(time).toDateString() === new Date().toDateString();
  return (
    <time dateTime={new Date(time).toISOString()} title={exact}>
      {isToday ? format.clock(time) : exact}
    </time>
  );
}
