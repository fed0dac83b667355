import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconArrowRight, IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { directions } from '../../../../../daemon/contract/streams.ts';
import { useTopic } from '../../../api/live.ts';
import { useMay } from '../../../api/session.ts';
import { devicesQuery } from '../../../shared/devices/devices-query.ts';
import { unconnectable } from '../../../shared/devices/unconnectable.ts';
import { channelsQuery, channelsTopic } from '../../../shared/streams/channels-query.ts';
import { LookMark } from '../../../ui/data/StateMark.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import { RateCell } from '../device-cells.tsx';
import styles from './SignalPathPanel.module.css';
import { kindTexts, type PathNode, type SignalPath, signalPaths } from './signal-path.ts';

/** Of the receivers of one channel; the page of the channel has all. */
const maxShown = 8;

interface SignalPathPanelProps {
  readonly device: Device;
  readonly connect: () => void;
}

/** Who feeds whom, from the source to the receivers, with the state of each. */
export function SignalPathPanel({ device, connect }: SignalPathPanelProps) {
  const maySee = useMay('channelView');
  useTopic(channelsTopic, maySee);
  const channels = useQuery({ ...channelsQuery, enabled: maySee }).data;
  const devices = useQuery(devicesQuery).data ?? [];
  const paths = signalPaths(device, { channels, devices });
  const isConnected = paths.length > 0;
  return (
    <Panel
      title={<Trans>Signal path</Trans>}
      aside={isConnected && <ConnectButton device={device} connect={connect} isConnected />}
    >
      {isConnected ? (
        paths.map((path) => <Path key={path.key} path={path} />)
      ) : (
        <div className={styles.none}>
          <p>
            <Nothing device={device} />
          </p>
          <ConnectButton device={device} connect={connect} isConnected={false} />
        </div>
      )}
    </Panel>
  );
}

function Nothing({ device: { dir } }: { device: Device }) {
  if (dir === directions.none) return <Trans>The hub manages this device, but it cannot be part of a channel.</Trans>;
  if (dir === directions.output) return <Trans>This device does not play any channel of the hub.</Trans>;
  return <Trans>No channel uses this device.</Trans>;
}

interface ConnectButtonProps extends SignalPathPanelProps {
  readonly isConnected: boolean;
}

function ConnectButton({ device, connect, isConnected }: ConnectButtonProps) {
  const { dir, connection } = device;
  const { t, i18n } = useLingui();
  const may = [useMay('deviceControl'), useMay('channelEdit')].every(Boolean);
  if (!may || dir === directions.none) return null;
  const cannot = unconnectable(device, dir === directions.output ? 'output' : 'input');
  const reason = cannot ? i18n._(cannot) : connection === 'online' ? undefined : t`The device is not online.`;
  return (
    <WithReason reason={isConnected ? undefined : reason}>
      <Button
        size="xs"
        variant={isConnected ? 'default' : 'filled'}
        leftSection={<IconPlugConnected size={15} aria-hidden />}
        onClick={connect}
      >
        {isConnected ? (
          <Trans>Change the channel</Trans>
        ) : dir === directions.output ? (
          <Trans>Play a channel on it</Trans>
        ) : (
          <Trans>Use as input of a channel</Trans>
        )}
      </Button>
    </WithReason>
  );
}

function Path({ path: { stages } }: { path: SignalPath }) {
  const { t } = useLingui();
  const titles = [t`Source`, t`Channel`, t`Receivers`];
  return (
    <ol className={styles.path} aria-label={t`From the source to the receivers`}>
      {stages.map((nodes, at) => (
        <Fragment key={titles[at]}>
          <li className={styles.stage} aria-label={titles[at]}>
            {at > 0 && (
              <span className={styles.arrow} aria-hidden>
                <IconArrowRight size={20} stroke={1.6} />
              </span>
            )}
            <Stage nodes={nodes} isLast={at === stages.length - 1} />
          </li>
        </Fragment>
      ))}
    </ol>
  );
}

function Stage({ nodes, isLast }: { nodes: readonly PathNode[]; isLast: boolean }) {
  if (nodes.length === 0) {
    return <p className={styles.empty}>{isLast ? <Trans>Nothing plays it yet.</Trans> : <Trans>Not known</Trans>}</p>;
  }
  const more = nodes.slice(maxShown);
  const path = more[0]?.path;
  return (
    <ul className={styles.nodes}>
      {nodes.slice(0, maxShown).map((node) => (
        <Node key={node.key} node={node} />
      ))}
      {path !== undefined && (
        <li className={styles.more}>
          <Link to={path}>
            <Plural value={more.length} one="and # more" other="and # more" />
          </Link>
        </li>
      )}
    </ul>
  );
}

function Node({ node }: { node: PathNode }) {
  const { i18n } = useLingui();
  const { kind, look, path, kbps, isHere, name } = node;
  const text = <NodeName node={node} />;
  return (
    <li className={styles.node} data-tone={look?.tone ?? 'off'} data-here={isHere}>
      <span className={styles.kind}>{i18n._(kindTexts[kind])}</span>
      <span className={styles.name} title={name}>
        {path === undefined ? text : <Link to={path}>{text}</Link>}
      </span>
      <span className={styles.facts}>
        {look && <LookMark look={look} />}
        {kbps !== undefined && <RateCell kbps={kbps} />}
      </span>
    </li>
  );
}

function NodeName({ node: { kind, name, count = 0 } }: { node: PathNode }): ReactNode {
  if (kind === 'players') return <Plural value={count} one="# player connected" other="# players connected" />;
  return name ?? <Trans>Encoder push</Trans>;
}
