import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconArrowsExchange, IconBroadcast } from '@tabler/icons-react';
import { useId } from 'react';
import type { Channel, ChannelFailover, ChannelInput } from '../../../../../daemon/contract/channels.ts';
import type { SwitchReason } from '../../../../../daemon/contract/failover.ts';
import { isOnAir } from '../../../../../daemon/contract/streams.ts';
import { useMay } from '../../../api/session.ts';
import { reasonText } from '../../../i18n/reason-text.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { RateCell } from '../../../shared/streams/RateCell.tsx';
import { connectionLook } from '../../../shared/streams/state-look.ts';
import { LookMark, StateMark } from '../../../ui/data/StateMark.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { InputFacts } from '../InputFacts.tsx';
import { LinkCell } from '../quality/LinkCell.tsx';
import styles from './FailoverCards.module.css';
import { InputPicture } from './InputPicture.tsx';
import { canSwitchTo, isConnected, useSwitchInput } from './useSwitchInput.ts';

interface FailoverProps {
  readonly channel: Channel;
  readonly failover: ChannelFailover;
}

/** Both inputs of a channel, which of them is on air, and the buttons that switch between them. */
export default function FailoverCards({ channel, failover }: FailoverProps) {
  return (
    <div className={styles.failover}>
      <Notice failover={failover} />
      <div className={styles.cards}>
        <InputCard channel={channel} failover={failover} input={failover.main} />
        <InputCard channel={channel} failover={failover} input={failover.backup} />
      </div>
      <LastSwitch failover={failover} />
    </div>
  );
}

/** Notices about the active input, with the suggested action. */
function Notice({ failover: { active, main, rule } }: Pick<FailoverProps, 'failover'>) {
  if (active === 'slate') {
    return <Banner tone="fault" title={<Trans>Both inputs lost: slate on air</Trans>} />;
  }
  if (active === 'main') return null;
  const isMainBack = isConnected(main) && rule.back !== 'stable';
  return (
    <Banner tone="warn" title={<Trans>Backup on air</Trans>}>
      {isMainBack && <Trans>Main input has recovered. Switch back when ready.</Trans>}
    </Banner>
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
      <Button
        size="xs"
        variant="default"
        leftSection={<IconArrowsExchange size={15} aria-hidden />}
        {...(!canBe && { 'data-disabled': true, 'aria-disabled': true, title: t`No signal on this input` })}
        onClick={() => canBe && ask(channel, role)}
      >
        {isBackup ? <Trans>Switch to backup</Trans> : <Trans>Switch to main input</Trans>}
      </Button>
    </div>
  );
}

/** Why the input on air was last switched. */
const switchReasons: Readonly<Record<SwitchReason, MessageDescriptor>> = {
  none: msg`only available input at the start`,
  noData: msg`no data on the other input`,
  noVideo: msg`no video on the other input`,
  noAudio: msg`no audio on the other input`,
  ended: msg`the other input disconnected`,
  operator: msg`switched manually`,
  stable: msg`this input recovered`,
};

function LastSwitch({ failover: { switches, reason, 'switched-at': at } }: Pick<FailoverProps, 'failover'>) {
  const { i18n } = useLingui();
  const format = useFormat();
  if (switches === 0) {
    return (
      <p className={styles.last}>
        <Trans>No switches yet.</Trans>
      </p>
    );
  }
  const why = i18n._(switchReasons[reason]);
  return (
    <p className={styles.last}>
      <Trans>
        Last switch {format.dateTime(at)} ({why}) · <Plural value={switches} one="# switch" other="# switches" />
      </Trans>
    </p>
  );
}
