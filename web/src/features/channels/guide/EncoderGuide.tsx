import { Trans, useLingui } from '@lingui/react/macro';
import { Button, SegmentedControl } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Channel } from '../../../../../daemon/contract/channels.ts';
import { useHubHost } from '../../../shared/system/hub-host.ts';
import { useSystem } from '../../../shared/system/system-query.ts';
import { CopyLine } from '../../../ui/data/CopyLine.tsx';
import { masked, rtmpAddress } from '../addresses.ts';
import { EncryptionNote } from '../EncryptionNote.tsx';
import { HostChoice } from '../HostChoice.tsx';
import { type Reveal, useReveal } from '../push-key.ts';
import styles from './EncoderGuide.module.css';
import {
  type Encoder,
  encoders,
  ffmpegCommand,
  larixLink,
  srtLatencyMs,
  srtUrl,
  type Target,
} from './encoder-settings.ts';
import { QrCode } from './QrCode.tsx';

/** What to enter in an encoder, so that it sends to the channel. For users who may see the push key. */
export default function EncoderGuide({ channel }: { channel: Channel }) {
  const { t } = useLingui();
  const [encoder, setEncoder] = useState<Encoder>('obs');
  const reveal = useReveal(channel);
  const { host } = useHubHost();
  const ports = useSystem()?.ports;
  const { protocol, 'push-key': key } = channel.config;
  if (ports === undefined || key === undefined) return null;
  const target: Target = {
    hub: { host, rtmpPort: ports.rtmp, srtPort: ports.srt, hlsPort: ports.hls },
    ...{ channel: channel.name, key, rtmp: protocol.rtmp, srt: protocol.srt },
  };
  const names: Readonly<Record<Encoder, string>> = {
    ...{ obs: 'OBS', vmix: 'vMix', larix: 'Larix', ffmpeg: 'FFmpeg' },
    srt: t`Other SRT`,
  };
  const offered = encoders.filter((one) => one !== 'srt' || protocol.srt);
  const Steps = steps[encoder];
  const Eye = reveal.isShown ? IconEyeOff : IconEye;
  return (
    <div className={styles.guide}>
      <div className={styles.head}>
        <SegmentedControl
          aria-label={t`Encoder`}
          data={offered.map((value) => ({ value, label: names[value] }))}
          value={encoder}
          onChange={(value) => setEncoder(encoders.find((one) => one === value) ?? 'obs')}
        />
        <Button
          size="xs"
          variant="default"
          aria-pressed={reveal.isShown}
          leftSection={<Eye size={15} aria-hidden />}
          onClick={reveal.toggle}
        >
          {reveal.isShown ? <Trans>Hide the key</Trans> : <Trans>Show the key</Trans>}
        </Button>
      </div>
      <div className={styles.body}>
        <div className={styles.steps}>
          <Steps target={target} reveal={reveal} />
        </div>
        <div className={styles.side}>
          <HostChoice />
          {(encoder === 'srt' || !protocol.rtmp) && <EncryptionNote />}
        </div>
      </div>
    </div>
  );
}

interface StepsProps {
  readonly target: Target;
  readonly reveal: Reveal;
}

const steps: Readonly<Record<Encoder, (props: StepsProps) => ReactNode>> = {
  obs: ObsSteps,
  vmix: VmixSteps,
  larix: LarixSteps,
  ffmpeg: FfmpegSteps,
  srt: SrtSteps,
};

/** A line that contains the key, which stays hidden until it is revealed. */
function KeyLine({ label, text, target, reveal }: StepsProps & { readonly label: string; readonly text: string }) {
  const shown = reveal.isShown ? text : masked(text, target.key);
  return <CopyLine label={label} text={text} shown={shown} onCopy={reveal.onCopy} />;
}

function ObsSteps({ target, reveal }: StepsProps) {
  const { t } = useLingui();
  return (
    <>
      <p>
        <Trans>
          In Settings → Stream, choose the service <b>Custom…</b> and enter:
        </Trans>
      </p>
      {target.rtmp ? (
        <>
          <CopyLine label={t`Server`} text={rtmpAddress(target.hub, target.key).server} />
          <KeyLine label={t`Stream key`} text={target.key} target={target} reveal={reveal} />
        </>
      ) : (
        <>
          <KeyLine label={t`Server`} text={srtUrl(target)} target={target} reveal={reveal} />
          <p>
            <Trans>Leave the stream key empty.</Trans>
          </p>
        </>
      )}
      <p>
        <Trans>
          In Settings → Output, set the keyframe interval to 2 s: players can only start at a keyframe. Then start
          streaming.
        </Trans>
      </p>
    </>
  );
}

function VmixSteps({ target, reveal }: StepsProps) {
  const { t } = useLingui();
  if (!target.rtmp) {
    return (
      <>
        <p>
          <Trans>In Settings → Outputs / NDI / SRT, open the settings of an output, enable SRT and enter:</Trans>
        </p>
        <SrtLines target={target} reveal={reveal} />
      </>
    );
  }
  return (
    <>
      <p>
        <Trans>
          Open the settings of <b>Stream</b>, choose the destination <b>Custom RTMP Server</b> and enter:
        </Trans>
      </p>
      <CopyLine label={t`URL`} text={rtmpAddress(target.hub, target.key).server} />
      <KeyLine label={t`Stream key`} text={target.key} target={target} reveal={reveal} />
      <p>
        <Trans>Choose a quality with H.264, then start streaming.</Trans>
      </p>
    </>
  );
}

function LarixSteps({ target, reveal }: StepsProps) {
  const { t } = useLingui();
  const link = larixLink(target);
  return (
    <>
      <p>
        <Trans>
          Scan this code with the phone's camera. Larix Broadcaster opens and adds the connection “{target.channel}
          ”; select it under Settings → Connections, then start streaming.
        </Trans>
      </p>
      {reveal.isShown ? (
        <div className={styles.scan}>
          <QrCode text={link} label={t`QR code for Larix Broadcaster`} />
          <Button component="a" href={link} variant="default">
            <Trans>Open in Larix on this device</Trans>
          </Button>
        </div>
      ) : (
        <Button variant="default" onClick={reveal.toggle} className={styles.ask ?? ''}>
          <Trans>Show the QR code</Trans>
        </Button>
      )}
      <p className={styles.faint}>
        <Trans>The code contains the push key. The phone must reach the hub at {target.hub.host}.</Trans>
      </p>
    </>
  );
}

function FfmpegSteps({ target, reveal }: StepsProps) {
  const { t } = useLingui();
  const url = target.rtmp ? rtmpAddress(target.hub, target.key).url : srtUrl(target);
  return (
    <>
      <p>
        <Trans>This command sends a test pattern with a tone:</Trans>
      </p>
      <KeyLine label={t`Command`} text={ffmpegCommand(target)} target={target} reveal={reveal} />
      <p>
        <Trans>For your own source, replace the inputs and keep the address:</Trans>
      </p>
      <KeyLine label={t`Address`} text={url} target={target} reveal={reveal} />
    </>
  );
}

function SrtSteps({ target, reveal }: StepsProps) {
  return (
    <>
      <p>
        <Trans>For any encoder that sends MPEG-TS over SRT:</Trans>
      </p>
      <SrtLines target={target} reveal={reveal} />
    </>
  );
}

function SrtLines({ target, reveal }: StepsProps) {
  const { t } = useLingui();
  const { hub, key } = target;
  return (
    <>
      <CopyLine label={t`Mode`} text="Caller" />
      <CopyLine label={t`Host`} text={hub.host} />
      <CopyLine label={t`Port`} text={String(hub.srtPort)} />
      <KeyLine label={t`Stream ID`} text={key} target={target} reveal={reveal} />
      <CopyLine label={t`Latency`} text={`${srtLatencyMs} ms`} />
    </>
  );
}
