/** Cells of the device lists. Components, so that they follow the language although rows render only on change. */
import { useLingui } from '@lingui/react/macro';
import { IconDeviceSdCard, IconPlayerRecordFilled, IconStarFilled, IconVideoOff } from '@tabler/icons-react';
import { Fragment, memo } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { type DeviceApi, familyOf } from '../../../../daemon/contract/device-catalog.ts';
import { deviceStatusBits, regStates } from '../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { devicePreviewId } from '../../../../daemon/contract/preview-stream.ts';
import { updateStates } from '../../../../daemon/contract/upgrade-states.ts';
import { useMay, useSession } from '../../api/session.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { channelPath, devicePath } from '../../lib/paths.ts';
import { actionLooks } from '../../shared/devices/action-look.ts';
import { useRunningAction } from '../../shared/devices/device-acts.ts';
import { deviceLooks, familyTexts, reasonsOf, restartingLook, stateOf } from '../../shared/devices/device-look.ts';
import { draggedDevices } from '../../shared/devices/dragged-devices.ts';
import { stepLooks } from '../../shared/firmware/upgrade/upgrade-look.ts';
import thumbnail from '../../shared/preview/Thumbnail.module.css';
import { NoValue, Quantity } from '../../ui/data/Quantity.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { useNow } from '../../ui/data/useNow.ts';
import { switches } from './actions/switches.ts';
import styles from './DeviceListPage.module.css';

const ThumbnailPicture = deferredPart(() => import('../../shared/preview/ThumbnailPicture.tsx'));

export interface DeviceProps {
  readonly device: Device;
}

/** Its state, with the reasons why it needs attention below. */
export function StateCell({ device, isProminent = false }: DeviceProps & { isProminent?: boolean }) {
  const { i18n, t } = useLingui();
  const { comma } = useFormat();
  const { upgrade, 'pause-until': pauseUntil } = device;
  const failed = device['update-state'] === updateStates.failed ? [t`The last upgrade failed`] : [];
  const reasons = [...reasonsOf(device).map((text) => i18n._(text)), ...failed];
  if (upgrade !== undefined) return <UpgradingState upgrade={upgrade} isProminent={isProminent} />;
  if (pauseUntil !== undefined) return <RestartingState until={pauseUntil} isProminent={isProminent} />;
  return (
    <span className={styles.state} title={reasons.join(comma)}>
      <LookMark look={deviceLooks[stateOf(device)]} isProminent={isProminent} />
      {reasons.length > 0 && <span className={styles.reason}>{reasons.join(comma)}</span>}
    </span>
  );
}

interface UpgradingStateProps {
  readonly upgrade: NonNullable<Device['upgrade']>;
  readonly isProminent: boolean;
}

/** The step of the upgrade that is running, or waits. */
function UpgradingState({ upgrade: { step, percent, to }, isProminent }: UpgradingStateProps) {
  const isCounted = step === 'uploading' || step === 'updating';
  const text = isCounted ? `→ ${to} · ${percent} %` : `→ ${to}`;
  return (
    <span className={styles.state} title={text}>
      <LookMark look={stepLooks[step]} isProminent={isProminent} />
      <span className={styles.reason}>{text}</span>
    </span>
  );
}

/** Seconds left, in steps that nobody has to watch. */
const countStep = 5;

/** It restarts because a user told it to. */
function RestartingState({ until, isProminent }: { readonly until: number; readonly isProminent: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const left = Math.ceil(Math.max(0, until - useNow(1000)) / 1000 / countStep) * countStep;
  const text = left > 0 ? t`back in about ${format.span(left)}` : t`back shortly`;
  return (
    <span className={styles.state} title={text}>
      <LookMark look={restartingLook} isProminent={isProminent} />
      <span className={styles.reason}>{text}</span>
    </span>
  );
}

/** Whether a picture may come, as far as that is known without asking for one: its own, or that of its channel. */
const mayHavePicture = ({ connection, api, 'picture-problem': problem, 'owner-i': channels = [] }: Device): boolean =>
  connection === 'online' && problem !== 'none' && (channels.length > 0 || !unpictured.has(api));
const unpictured: ReadonlySet<DeviceApi> = new Set(['mwapi', 'apiPath', 'mwapiPath', 'v1']);

/** Live picture of a device that is online; a box of the same size that says why there is none, flat on phones. */
export function DevicePicture({ device, isWide = false }: DeviceProps & { isWide?: boolean }) {
  const { t } = useLingui();
  const problem = device['picture-problem'];
  const reason =
    problem === 'none'
      ? t`This device has no picture`
      : problem === 'failed'
        ? t`The device delivers no picture at present`
        : t`No picture`;
  const hasText = isWide && problem !== undefined;
  return (
    <span
      className={thumbnail.box}
      data-wide={isWide}
      data-flat={!mayHavePicture(device)}
      data-thumbnail={isWide ? 'wide' : 'small'}
    >
      <span className={styles.noPicture} title={reason}>
        <IconVideoOff
          size={isWide ? 28 : 16}
          stroke={1.5}
          {...(hasText ? { 'aria-hidden': true } : { role: 'img', 'aria-label': reason })}
        />
        {hasText && <span className={styles.whyNoPicture}>{reason}</span>}
      </span>
      {device.connection === 'online' && (
        <ThumbnailPicture imageId={devicePreviewId(device.sn)} alt={t`Picture of ${device.name}`} />
      )}
    </span>
  );
}

function isSameButFigures({ device: a }: DeviceProps, { device: b }: DeviceProps): boolean {
  return (
    a.sn === b.sn &&
    a.name === b.name &&
    a.connection === b.connection &&
    a['is-favorite'] === b['is-favorite'] &&
    a['picture-problem'] === b['picture-problem'] &&
    mayHavePicture(a) === mayHavePicture(b)
  );
}

export const NameCell = memo(function NameCell({ device }: DeviceProps) {
  const { t } = useLingui();
  const mayMove = useMay('groupControl') && isAccepted(device);
  const isFavorite = (device['is-favorite'] & useSession().id) !== 0;
  const { pathname } = useLocation();
  return (
    <span className={styles.named}>
      <DevicePicture device={device} />
      <Link
        className={styles.name ?? ''}
        to={devicePath(device.sn, pathname)}
        title={device.name}
        draggable={mayMove}
        onDragStart={(event) => draggedDevices.begin(event, [device.sn])}
      >
        {device.name}
      </Link>
      {isFavorite && <IconStarFilled className={styles.star ?? ''} size={13} role="img" aria-label={t`Favorite`} />}
    </span>
  );
}, isSameButFigures);

/** The picture at the top of a card; the name below it is the link for the keyboard. */
export const PictureLink = memo(function PictureLink({ device }: DeviceProps) {
  const { pathname } = useLocation();
  return (
    <Link to={devicePath(device.sn, pathname)} tabIndex={-1} aria-hidden>
      <DevicePicture device={device} isWide />
    </Link>
  );
}, isSameButFigures);

export function SignalCell({ device }: DeviceProps) {
  const text = device['pro-feature'].input;
  return text === undefined ? <NoValue /> : <span title={text}>{text}</span>;
}

export function CodecCell({ device }: DeviceProps) {
  const text = device['pro-feature'].codec;
  return text === undefined ? <NoValue /> : <span title={text}>{text}</span>;
}

/** What a decoder shows; in grey what does not arrive. */
export function PlaysCell({ device }: DeviceProps) {
  const { t } = useLingui();
  const { source } = device['pro-feature'];
  if (source === undefined) return <NoValue />;
  const { name, connected } = source;
  if (connected) return <span title={name}>{name}</span>;
  const text = t`${name} (not connected)`;
  return (
    <span className={styles.missing} title={text}>
      {text}
    </span>
  );
}

export function FamilyCell({ device }: DeviceProps) {
  const { i18n } = useLingui();
  const text = familyTexts[familyOf(device.module)];
  return typeof text === 'string' ? text : i18n._(text);
}

const startsOrStops: ReadonlySet<string> = new Set(switches.flatMap(({ start, stop }) => [start, stop]));

/** Whether it records and streams live, or is about to. */
export function ActivityCell({ device }: DeviceProps) {
  const { t, i18n } = useLingui();
  const status = device.status['cur-status'];
  const isRecording = (status & deviceStatusBits.recording) !== 0;
  const isLive = (status & deviceStatusBits.living) !== 0;
  const running = useRunningAction(device.sn);
  const told = running !== undefined && (startsOrStops.has(running) ? actionLooks[running].running : undefined);
  if (told) return <span className={styles.missing}>{i18n._(told)}</span>;
  if (!isRecording && !isLive) return <NoValue />;
  return (
    <span className={styles.activity}>
      {isLive && (
        <span className={styles.live}>
          <IconPlayerRecordFilled size={12} aria-hidden />
          {t`Live`}
        </span>
      )}
      {isRecording && (
        <span className={styles.recording}>
          <IconDeviceSdCard size={14} aria-hidden />
          {t`Recording`}
        </span>
      )}
    </span>
  );
}

export function RateCell({ kbps }: { kbps: number | undefined }) {
  const format = useFormat();
  return kbps === undefined ? <NoValue /> : <Quantity amount={format.rate(kbps)} />;
}

export function PercentCell({ value }: { value: number | undefined }) {
  const format = useFormat();
  return value === undefined ? <NoValue /> : <Quantity amount={format.percent(value)} />;
}

export function TemperatureCell({ value }: { value: number | undefined }) {
  const format = useFormat();
  return value === undefined ? <NoValue /> : <Quantity amount={{ value: format.number(value), unit: '°C' }} />;
}

export function UptimeCell({ seconds }: { seconds: number | undefined }) {
  const format = useFormat();
  return seconds === undefined ? <NoValue /> : <span>{format.duration(seconds)}</span>;
}

/** When a device applied, or was approved. */
export function AppliedCell({ device }: DeviceProps) {
  const format = useFormat();
  const time = device['apply-date'];
  return time === 0 ? <NoValue /> : <span>{format.dateTime(time)}</span>;
}

/** The channels that it publishes to or plays. */
export function ChannelsCell({ device }: DeviceProps) {
  const { comma } = useFormat();
  const maySee = useMay('channelView');
  const names = [...(device['owner-i'] ?? []), ...(device['owner-o'] ?? [])];
  const ids = [...(device['owner-i-d'] ?? []), ...(device['owner-o-d'] ?? [])];
  if (names.length === 0) return <NoValue />;
  return names.map((name, at) => (
    <Fragment key={ids[at] ?? name}>
      {at > 0 && comma}
      {maySee ? (
        <Link to={channelPath(ids[at] ?? 0)} title={name}>
          {name}
        </Link>
      ) : (
        name
      )}
    </Fragment>
  ));
}

export const isAccepted = (device: Device) => device['reg-state'] === regStates.accepted;
