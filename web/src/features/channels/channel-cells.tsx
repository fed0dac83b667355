/** Cells of the channel list. Components, so that they follow the language although rows render only on change. */
import { useLingui } from '@lingui/react/macro';
import { memo } from 'react';
import { Link } from 'react-router-dom';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { isOnAir, protocolOf } from '../../../../daemon/contract/streams.ts';
import { reasonText } from '../../i18n/reason-text.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { channelPath } from '../../lib/paths.ts';
import { Thumbnail } from '../../shared/preview/Thumbnail.tsx';
import { pictureText } from '../../shared/streams/media-text.ts';
import { channelLooks, isOutputFaulty } from '../../shared/streams/state-look.ts';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import styles from './ChannelListPage.module.css';
import { RoleBadge } from './failover/RoleBadge.tsx';

interface CellProps {
  readonly channel: Channel;
}

export function StateCell({ channel, isProminent = false }: CellProps & { isProminent?: boolean }) {
  const { i18n } = useLingui();
  const look = channelLooks[channel.state];
  return (
    <span title={channel.config.enable ? reasonText(i18n, channel.input.reason) : undefined}>
      <LookMark look={look} isProminent={isProminent} />
    </span>
  );
}

/** What name, picture and buttons depend on; the figures beside them change every second. */
export function isSameButFigures({ channel: a }: CellProps, { channel: b }: CellProps): boolean {
  return a.id === b.id && a.name === b.name && a.state === b.state && a.config.enable === b.config.enable;
}

export const NameCell = memo(function NameCell({ channel }: CellProps) {
  return (
    <span className={styles.named}>
      <Thumbnail channel={channel} />
      <Link className={styles.name ?? ''} to={channelPath(channel.id)} title={channel.name}>
        {channel.name}
      </Link>
    </span>
  );
}, isSameButFigures);

/** The picture at the top of a card; the name below it is the link for the keyboard. */
export const PictureLink = memo(function PictureLink({ channel }: CellProps) {
  return (
    <Link to={channelPath(channel.id)} tabIndex={-1} aria-hidden>
      <Thumbnail channel={channel} isWide />
    </Link>
  );
}, isSameButFigures);

export function InputCell({ channel }: CellProps) {
  const { name, protocol, addr, role } = channel.input;
  const kind = protocolOf(protocol)?.toUpperCase();
  if (role === 'slate') return <RoleBadge role={role} />;
  if (kind === undefined || (addr === '' && name === '')) return <NoValue />;
  return (
    <span title={addr}>
      <RoleBadge role={role} /> {kind} <span className={styles.faint}>{name === '' ? addr : name}</span>
    </span>
  );
}

/** `seconds`: undefined for what is not running. */
export function RunTimeCell({ seconds }: { seconds: number | undefined }) {
  const format = useFormat();
  return seconds === undefined ? <NoValue /> : <span>{format.duration(seconds)}</span>;
}

export function CountCell({ count }: { count: number }) {
  const format = useFormat();
  return <span>{format.number(count)}</span>;
}

/** Running outputs out of the enabled ones; in the fault color if one fails. */
export function OutputsCell({ channel }: CellProps) {
  const { t } = useLingui();
  const { list, total } = channel.outputs;
  const enabled = list.filter(({ enable }) => enable);
  const running = enabled.filter(({ kbps }) => kbps > 0).length;
  const faulty = isOnAir(channel.state) ? list.filter(isOutputFaulty).length : 0;
  const words = t`${running} running, ${faulty} failed, ${total} total`;
  return (
    <span role="img" aria-label={words} className={faulty > 0 ? styles.faulty : undefined} title={words}>
      {faulty > 0 && '⚠ '}
      {running} / {enabled.length}
    </span>
  );
}

export function PictureCell({ channel }: CellProps) {
  const text = pictureText(channel.input.media?.video);
  return text === undefined ? <NoValue /> : <span>{text}</span>;
}
