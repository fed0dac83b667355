import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ResetKeep } from '../../../../daemon/contract/power-fields.ts';
import { useHas } from '../../api/session.ts';
import { faultOf } from '../../lib/call-error.ts';
import { keepSetupCode } from '../../shared/password/setup-code.ts';
import { useSystem } from '../../shared/system/system-query.ts';
import { CopyLine } from '../../ui/data/CopyLine.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { useAct } from '../../ui/form/useAct.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import { BusyText } from './BusyText.tsx';
import { movedConsole } from './moved-console.ts';
import { StandalonePage } from './StandalonePage.tsx';
import styles from './Upkeep.module.css';
import { resetHub } from './upkeep-calls.ts';
import { useHubReturn } from './useHubReturn.ts';
import { WaitPanel } from './WaitPanel.tsx';

type Answer = Awaited<ReturnType<typeof resetHub>>;

export default function ResetPage() {
  const { t } = useLingui();
  const hub = useHubReturn();
  const [answer, setAnswer] = useState<Answer | undefined>();
  /** Whether the ports of the machine may get other addresses. */
  const [isMoved, setMoved] = useState(false);
  return (
    <StandalonePage
      title={t`Reset all settings`}
      intro={
        <Trans>
          The hub returns to its initial state: channels, devices, users, tokens, keys and everything else that is not
          kept below are deleted and cannot be restored. All streams end. The installed version stays.
        </Trans>
      }
      isStarted={answer !== undefined}
    >
      {answer === undefined ? (
        <ResetForm
          onStart={(started, isNetworkReset) => {
            setMoved(isNetworkReset);
            keepSetupCode(started['setup-code']);
            setAnswer(started);
            hub.begin(started['estimate-sec']);
          }}
        />
      ) : (
        <>
          <WaitPanel
            hub={hub}
            steps={[
              <Trans key="stop">Streams and services stop</Trans>,
              <Trans key="wipe">Settings are deleted; a power cut does not stop that</Trans>,
              <Trans key="start">The hub starts and waits for its first password</Trans>,
            ]}
            done={<Trans>All settings have been reset</Trans>}
          />
          <Afterwards answer={answer} isMoved={isMoved} />
        </>
      )}
    </StandalonePage>
  );
}

function ResetForm({ onStart }: { onStart: (answer: Answer, isNetworkReset: boolean) => void }) {
  const { t } = useLingui();
  const hasDevices = useHas('devices');
  const isAppliance = useHas('hardware');
  const hubName = useSystem()?.info.name ?? '';
  const [keep, setKeep] = useState<ReadonlySet<ResetKeep>>(new Set(['network']));
  const [typed, setTyped] = useState('');
  const act = useAct(async (force: boolean) =>
    onStart(await resetHub({ keep: [...keep], force }), isAppliance && !keep.has('network')),
  );
  const isForceable = faultOf(act.error) === 'objectBusy';
  const names: Partial<Record<ResetKeep, string>> = {
    network: isAppliance
      ? t`Network: addresses, Wi-Fi, routes, firewall, host name, and ports and certificate of the console`
      : t`Ports and certificate of the console`,
    ...(hasDevices && { firmware: t`Firmware files of devices` }),
    logs: isAppliance ? t`Operation log, system log and the log of the machine` : t`Operation log and system log`,
  };
  const choose = (name: ResetKeep, isKept: boolean) => {
    const next = new Set(keep);
    if (isKept) next.add(name);
    else next.delete(name);
    setKeep(next);
  };
  return (
    <Panel title={<Trans>What to keep</Trans>}>
      <div className={styles.choices}>
        {(Object.entries(names) as [ResetKeep, string][]).map(([name, label]) => (
          <Checkbox
            key={name}
            label={label}
            checked={keep.has(name)}
            onChange={(event) => choose(name, event.currentTarget.checked)}
          />
        ))}
      </div>
      <SystemNote isAppliance={isAppliance} isKept={keep.has('network')} />
      <TextInput
        className={styles.typed}
        label={t`Type the name of the hub to confirm: ${hubName}`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {act.error !== undefined && (
        <FormFault>{isForceable ? <BusyText error={act.error} /> : <FaultText error={act.error} />}</FormFault>
      )}
      <Button
        color="fault"
        loading={act.isPending}
        disabled={typed.trim() !== hubName}
        onClick={() => void act.run(isForceable)}
      >
        {isForceable ? <Trans>Reset anyway</Trans> : <Trans>Reset all settings</Trans>}
      </Button>
    </Panel>
  );
}

/** What becomes of the settings that belong to the operating system, and of the way to the console. */
function SystemNote({ isAppliance, isKept }: { isAppliance: boolean; isKept: boolean }) {
  if (isAppliance && isKept) {
    return (
      <Banner tone="info" title={<Trans>Addresses, Wi-Fi, routes, firewall and host name are not reset</Trans>}>
        <Trans>Time servers and time zone of the machine are reset.</Trans>
      </Banner>
    );
  }
  if (isAppliance) {
    return (
      <Banner tone="warn" title={<Trans>You may lose the connection to the hub</Trans>}>
        <Trans>
          The Ethernet ports get their addresses from DHCP servers, the hub forgets all Wi-Fi networks with their keys,
          and static routes and rules of the firewall are deleted. Ports, certificate, host name, time servers and time
          zone become those of the first start.
        </Trans>
      </Banner>
    );
  }
  return (
    <>
      {!isKept && (
        <Banner tone="warn" title={<Trans>The console may move to another address</Trans>}>
          <Trans>The hub gets its first ports again. From then on, the browser sees another certificate.</Trans>
        </Banner>
      )}
      <p className={styles.note}>
        <Trans>
          Addresses, routes, host name and clock belong to the operating system of this machine, and are not reset.
        </Trans>
      </p>
    </>
  );
}

function Afterwards({ answer, isMoved }: { answer: Answer; isMoved: boolean }) {
  const { t } = useLingui();
  const moved = movedConsole(location, answer.ports);
  return (
    <Panel title={<Trans>Afterwards</Trans>}>
      <p className={styles.note}>
        <Trans>Choose the password of Admin with this set-up code. This browser enters it for you.</Trans>
      </p>
      <CopyLine label={t`Set-up code`} text={answer['setup-code']} />
      {isMoved && (
        <p className={styles.note}>
          <Trans>If the hub no longer answers here, look for its new address in the list of your DHCP server.</Trans>
        </p>
      )}
      {moved !== undefined && (
        <p className={styles.note}>
          <Trans>
            The console will be at <a href={moved}>{moved}</a>.
          </Trans>
        </p>
      )}
    </Panel>
  );
}
