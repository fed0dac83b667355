import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconArrowsExchange, IconBroadcast } from '@tabler/icons-react';
import { useId } from 'react';
import type { Channel, ChannelFailover, ChannelInput } from '../../../../../daemon/contract/channels.ts';
import { isOnAir } from '../../../../../daemon/contract/streams.ts';
import { useMay } from '../../../api/session.ts';
import { reasonText } from '../../../i18n/reason-text.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { usePhone } from '../../../lib/screen.ts';
import { RateCell } from '../../../shared/streams/RateCell.tsx';
import { connectionLook } from '../../../shared/streams/state-look.ts';
import { Lasting } from '../../../ui/data/Lasting.tsx';
import { LookMark, StateMark } from '../../../ui/data/StateMark.tsx';
import { useNow } from '../../../ui/data/useNow.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import { InputFacts } from '../InputFacts.tsx';
import { LinkCell } from '../quality/LinkCell.tsx';
import { switchReasonText } from '../switch-text.ts';
import styles from './FailoverCards.module.css';
import { InputPicture } from './InputPicture.tsx';
import { canSwitchTo, isConnected, useSwitchInput } from './useSwitchInput.ts';

interface FailoverProps {
  readonly channel: Channel;
  readonly failover: ChannelFailover;
}

/** Both inputs of a channel, which of them is on air, and the buttons that switch between them. */
export default function FailoverCards({ channel, failover }: FailoverProps) {
  const { main, backup, active } = failover;
  // Side by side each input has its place; one below the other, the one on air comes first.
  const inputs = usePhone() && active === 'backup' ? [backup, main] : [main, backup];
  return (
    <div className={styles.failover}>
      <Notice failover={failover} />
      <div className={styles.cards}>
        {inputs.map((input) => (
          <InputCard key={input.role} channel={channel} failover={failover} input={input} />
        ))}
      </div>
      <LastSwitch failover={failover} />
    </div>
  );
}

/** Notices about the active input, with the suggested action. */
function Notice({ failover }: Pick<FailoverProps, 'failover'>) {
  const { active, main, rule, 'switched-at': since, 'returns-at': returnsAt } = failover;
  const now = useNow(1000);
  if (active === 'main') return null;
  const isSlate = active === 'slate';
  const isMainBack = !isSlate && isConnected(main) && rule.back !== 'stable';
  const title = (
    <>
      {isSlate ? <Trans>Both inputs lost: slate on air</Trans> : <Trans>Backup on air</Trans>}
      {since > 0 && (
        <>
          {' · '}
          <Lasting since={since} now={now} />
        </>
      )}
    </>
  );
  return (
    <Banner tone={isSlate ? 'fault' : 'warn'} title={title}>
      {returnsAt === undefined ? (
        isMainBack && <Trans>Main input has recovered. Switch back when ready.</Trans>
      ) : (
        <Return at={returnsAt} now={now} />
      )}
    </Banner>
  );
}

function Return({ at, now }: { at: number; now: number }) {
  const seconds = Math.ceil((at - now) / 1000);
  return seconds > 0 ? (
    <Trans>Main input has recovered. Switching back in {seconds} s.</Trans>
  ) : (
    <Trans>Main input has recovered. Switching back at its next keyframe.</Trans>
  );
}

function InputCard({ channel, failover, input }: FailoverProps & { input: ChannelInput }) {
  const { i18n, t } = useLingui();
  const id = useId();
  const isBackup = input.role === 'backup';
  // The main input is the active one even while it receives nothing.
  const isShown = failover.active === input.role && isOnAir(channel.state);
  const isResting = isBackup && failover.rule.standby === 'cold' && input.reason === 'switchedOff';
  const look = connectionLook(input['conn-state']);
  const reason = isResting && channel.config.enable ? t`Connects when needed` : reasonText(i18n, input.reason);
  return (
    <section className={styles.card} aria-labelledby={id} data-on-air={isShown}>
      <div className={styles.head}>
        <h3 id={id}>{isBackup ? <Trans>Backup</Trans> : <Trans>Main input</Trans>}</h3>
        {isShown && (
          <StateMark tone="live" icon={IconBroadcast} isProminent>
            <Trans>On air</Trans>
          </StateMark>
        )}
      </div>
      <InputPicture channel={channel} input={input} />
      <p className={styles.name} title={input.name}>
        {input.name === '' ? <Trans>Encoder push (channel key)</Trans> : input.name}
      </p>
      <p className={styles.state}>
        <LookMark look={look} />
        {isShown && <LinkCell kind="input" id={0} name={input.name || input.addr} report={input.report} />}
        <RateCell kbps={isResting ? undefined : input.kbps} />
      </p>
      {reason !== undefined && <p className={styles.reason}>{reason}</p>}
      <InputFacts input={input} />
      <SwitchButton channel={channel} failover={failover} input={input} />
    </section>
  );
}

function SwitchButton({ channel, failover, input }: FailoverProps & { input: ChannelInput }) {
  const { t } = useLingui();
  const mayControl = useMay('channelControl');
  const ask = useSwitchInput();
  const { role } = input;
  if (!mayControl || role === 'slate' || failover.active === role) return null;
  const isBackup = role === 'backup';
  const canBe = canSwitchTo(channel, input);
  return (
    <div className={styles.act}>
      <WithReason reason={canBe ? undefined : t`No signal on this input`}>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconArrowsExchange size={15} aria-hidden />}
          onClick={() => ask(channel, role)}
        >
          {isBackup ? <Trans>Switch to backup</Trans> : <Trans>Switch to main input</Trans>}
        </Button>
      </WithReason>
    </div>
  );
}

function LastSwitch({ failover: { active, switches, reason, 'switched-at': at } }: Pick<FailoverProps, 'failover'>) {
  const { i18n } = useLingui();
  const format = useFormat();
  if (switches === 0) {
    return (
      <p className={styles.last}>
        <Trans>No switches yet.</Trans>
      </p>
    );
  }
  // What a slate replaced is not known.
  const from = { main: 'backup', backup: 'main', slate: '' }[active];
  const why = switchReasonText(i18n, format, { from, to: active, reason });
  return (
    <p className={styles.last}>
      <Trans>
        Last switch {format.dateTime(at)}: {why} · <Plural value={switches} one="# switch" other="# switches" />
      </Trans>
    </p>
  );
}
