import { t as now, plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconEye, IconEyeOff, IconHelpCircle, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Channel, ChannelNdiState } from '../../../../daemon/contract/channels.ts';
import { protocolBits } from '../../../../daemon/contract/streams.ts';
import { useMay } from '../../api/session.ts';
import { connectionLook } from '../../shared/streams/state-look.ts';
import { useHubHost } from '../../shared/system/hub-host.ts';
import { useSystem } from '../../shared/system/system-query.ts';
import { CopyLine } from '../../ui/data/CopyLine.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import { type HubPlaces, masked, rtmpAddress, srtAddress, webAddresses } from './addresses.ts';
import styles from './ChannelDetailPage.module.css';
import { changeChannel } from './channel-calls.ts';
import { connectionReasonText } from './connection-reason.ts';
import { EncryptionNote } from './EncryptionNote.tsx';
import { HostChoice } from './HostChoice.tsx';
import { mainInput, useReveal } from './push-key.ts';

interface AddressListsProps {
  readonly channel: Channel;
  readonly dialog: DialogAddress;
  readonly isGuided: boolean;
}

/** Addresses for encoders and players, ready to copy; keys are shown on demand. */
export default function AddressLists({ channel, dialog, isGuided }: AddressListsProps) {
  const { isShown, toggle, onCopy } = useReveal(channel);
  const mayEdit = useMay('channelEdit');
  const { host } = useHubHost();
  const ports = useSystem()?.ports;
  const { config } = channel;
  const input = mainInput(channel);
  const Eye = isShown ? IconEyeOff : IconEye;
  if (ports === undefined) return null;
  const hub = { host, rtmpPort: ports.rtmp, srtPort: ports.srt, hlsPort: ports.hls };
  return (
    <>
      <div className={styles.keysShown}>
        <Button
          size="compact-sm"
          variant="default"
          aria-pressed={isShown}
          leftSection={<Eye size={15} stroke={1.7} aria-hidden />}
          onClick={toggle}
        >
          {isShown ? <Trans>Hide the keys</Trans> : <Trans>Show the keys</Trans>}
        </Button>
      </div>
      {!isGuided && <HostChoice />}
      {input.id === 0 ? (
        <AddressGroup title={<Trans>Publish</Trans>} action={<RenewKey channel={channel} kind="push" />}>
          <PushLines hub={hub} channel={channel} isShown={isShown} onCopy={onCopy} />
          {mayEdit && (
            <Button
              variant="default"
              size="xs"
              mt={8}
              leftSection={<IconHelpCircle size={15} aria-hidden />}
              onClick={() => dialog.open('encoder')}
            >
              <Trans>Connect an encoder</Trans>
            </Button>
          )}
        </AddressGroup>
      ) : (
        <AddressGroup title={<Trans>Publish</Trans>} action={null}>
          <p className={styles.note}>
            <Trans>This channel uses the input “{input.name}”; the push key is not in use.</Trans>
          </p>
        </AddressGroup>
      )}
      <AddressGroup title={<Trans>Play</Trans>} action={<RenewKey channel={channel} kind="play" />}>
        <PlayLines hub={hub} channel={channel} isShown={isShown} />
        {channel.ndi && <NdiLine ndi={channel.ndi} />}
      </AddressGroup>
      {config.protocol.srt && <EncryptionNote />}
    </>
  );
}

function AddressGroup({ title, action, children }: { title: ReactNode; action: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.group}>
      <div className={styles.groupHead}>
        <h3>{title}</h3>
        {action}
      </div>
      {children}
    </div>
  );
}

interface LinesProps {
  readonly hub: HubPlaces;
  readonly channel: Channel;
  readonly isShown: boolean;
}

function PushLines({ hub, channel, isShown, onCopy }: LinesProps & { readonly onCopy: () => void }) {
  const { t } = useLingui();
  const { protocol, 'push-key': key } = channel.config;
  if (key === undefined) {
    return (
      <p className={styles.note}>
        <Trans>Only users who may edit channels can see the push key.</Trans>
      </p>
    );
  }
  const rtmp = rtmpAddress(hub, key);
  const srt = srtAddress(hub, key);
  const shown = (text: string) => (isShown ? text : masked(text, key));
  return (
    <>
      {protocol.rtmp && (
        <>
          <CopyLine label={t`RTMP server`} text={rtmp.server} />
          <CopyLine label={t`Stream key`} text={key} shown={shown(key)} onCopy={onCopy} />
          <CopyLine
            label={t`RTMP address`}
            name={t`RTMP push address`}
            text={rtmp.url}
            shown={shown(rtmp.url)}
            onCopy={onCopy}
          />
        </>
      )}
      {protocol.srt && (
        <>
          <CopyLine
            label={t`SRT address`}
            name={t`SRT push address`}
            text={srt.url}
            shown={shown(srt.url)}
            onCopy={onCopy}
          />
          {!protocol.rtmp && <CopyLine label={t`Stream ID`} text={key} shown={shown(key)} onCopy={onCopy} />}
        </>
      )}
    </>
  );
}

function PlayLines({ hub, channel, isShown }: LinesProps) {
  const { t } = useLingui();
  const { protocol, 'play-key': key } = channel.config;
  const rtmp = rtmpAddress(hub, key);
  const srt = srtAddress(hub, key);
  const web = webAddresses(hub, key);
  const shown = (text: string) => (isShown ? text : masked(text, key));
  return (
    <>
      {protocol.rtmp && (
        <CopyLine label={t`RTMP address`} name={t`RTMP play address`} text={rtmp.url} shown={shown(rtmp.url)} />
      )}
      {protocol.srt && (
        <CopyLine label={t`SRT address`} name={t`SRT play address`} text={srt.url} shown={shown(srt.url)} />
      )}
      <CopyLine label={t`HLS address`} text={web.hls} shown={shown(web.hls)} />
      <CopyLine label={t`Low-latency HLS`} text={web.lowLatency} shown={shown(web.lowLatency)} />
      <CopyLine label="HTTP-TS" text={web.ts} shown={shown(web.ts)} />
      <CopyLine label={t`Play key`} text={key} shown={shown(key)} />
    </>
  );
}

function RenewKey({ channel, kind }: { channel: Channel; kind: 'push' | 'play' }) {
  const { t } = useLingui();
  const mayEdit = useMay('channelEdit');
  if (!mayEdit) return null;
  const ask = () =>
    confirm({
      title:
        kind === 'push'
          ? t`Regenerate the push key of “${channel.name}”?`
          : t`Regenerate the play key of “${channel.name}”?`,
      consequence: kind === 'push' ? pushLosers(channel) : playLosers(channel),
      verb: t`Regenerate key`,
      isDangerous: true,
      run() {
        const key = `${kind === 'push' ? 'PUSH' : 'PULL'}-${newUuid()}`;
        return changeChannel({ id: channel.id, config: kind === 'push' ? { 'push-key': key } : { 'play-key': key } });
      },
      done: t`The key was regenerated.`,
    });
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      leftSection={<IconRefresh size={13} aria-hidden />}
      onClick={ask}
    >
      {kind === 'push' ? <Trans>Regenerate push key</Trans> : <Trans>Regenerate play key</Trans>}
    </Button>
  );
}

function pushLosers(channel: Channel): string {
  const input = mainInput(channel);
  const sender = input.addr;
  return sender === ''
    ? now`No encoder is sending with this key. Encoders with the old key will no longer be able to connect.`
    : now`The encoder at ${sender} will be disconnected. The channel stays off air until it uses the new key.`;
}

function playLosers({ clients }: Channel): string {
  const elsewhere = clients.list.filter((client) => client['output-id'] !== undefined).length;
  const count = clients.total - elsewhere;
  if (count === 0)
    return now`No player is watching with this key. Players with the old key will no longer be able to connect.`;
  const players = plural(count, { one: '# player watches', other: '# players watch' });
  return now`${players} with this key and will be disconnected. They need the new key to reconnect.`;
}

/** `crypto.randomUUID` exists only on secure pages; `getRandomValues` exists everywhere. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The channel's own NDI source: its name, and whether it is discoverable. */
function NdiLine({ ndi }: { ndi: ChannelNdiState }) {
  const { t, i18n } = useLingui();
  const look = connectionLook(ndi['conn-state']);
  const reason = connectionReasonText(i18n, { protocol: protocolBits.ndi, reason: ndi.reason });
  return (
    <>
      <CopyLine label={t`NDI source`} text={ndi.name} />
      <p className={styles.note}>
        <LookMark look={look} /> {reason}
      </p>
    </>
  );
}
