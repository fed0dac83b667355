import { useFormat } from '../../i18n/useFormat.ts';

/** A point in time: only the clock time if it is today; the full date and time on hover. */
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
